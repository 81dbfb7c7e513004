namespace Jackdaw.Storage.Disk;

/// <summary>What an operation on the disk was for; follows from the file's mode and path.</summary>
public enum IoKind
{
    JournalWrite,
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
    HeaderWrite,
    HeaderSync,
    DirectorySync,

    /// <summary>Space reserved in any file.</summary>
    Allocate,

    /// <summary>Space given back.</summary>
    Punch,

    /// <summary>Reads of headers and copies.</summary>
    OtherRead,

    /// <summary>Writes of other small files and copies.</summary>
    OtherWrite,
    OtherSync,
}
