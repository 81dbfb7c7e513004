namespace Jackdaw.Storage.Journal;

/// <summary>What lies where the next record should begin. docs/storage-format.md, "Ends and damage".</summary>
internal enum RecordFinding
{
    /// <summary>The expected record, its checksums right.</summary>
    Valid,

    /// <summary>Something that is not all of the new record: torn, or never written.</summary>
    NotWritten,

    /// <summary>All of it was written and it is not what was written.</summary>
    Damaged,
}
