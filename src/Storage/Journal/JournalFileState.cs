namespace Jackdaw.Storage.Journal;

/// <summary>What a file's first block says of the file.</summary>
internal enum JournalFileState
{
    /// <summary>Its header names it.</summary>
    InUse,

    /// <summary>All zeros, or the header of an earlier use under another name.</summary>
    Spare,

    /// <summary>The header of another environment's journal, or of this one's before it was restored from a copy.</summary>
    Foreign,

    /// <summary>Neither zeros nor a header that can be believed.</summary>
    BadHeader,
}
