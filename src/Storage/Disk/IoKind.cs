namespace Jackdaw.Storage.Disk;

/// <summary>What an operation on the disk was for; follows from the file's mode and path.</summary>
public enum IoKind
{
    /// <summary>A record, or a file header, written to a journal.</summary>
    JournalWrite,

    /// <summary>A journal read back by recovery or a copy.</summary>
    JournalRead,

    /// <summary>Flush: pages written to the data file.</summary>
    DataWrite,

    /// <summary>Positional reads of the data file (recovery, copies).</summary>
    DataRead,

    /// <summary>Cold ranges brought into the mapping.</summary>
    DataPopulate,

    /// <summary>fdatasync of the data file.</summary>
    DataSync,

    /// <summary>Write-back of the data file begun or waited for.</summary>
    WriteBack,

    /// <summary>A header written.</summary>
    HeaderWrite,

    /// <summary>A header synced.</summary>
    HeaderSync,

    /// <summary>A directory synced, so that its entries are durable.</summary>
    DirectorySync,

    /// <summary>Space reserved in any file.</summary>
    Allocate,

    /// <summary>Space given back.</summary>
    Punch,

    /// <summary>Reads of headers and copies.</summary>
    OtherRead,

    /// <summary>Writes of other small files and copies.</summary>
    OtherWrite,

    /// <summary>Any other sync.</summary>
    OtherSync,
}
