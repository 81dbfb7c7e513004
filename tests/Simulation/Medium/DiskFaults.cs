namespace Jackdaw.Simulation.Medium;

/// <summary>How often the disk misbehaves: each number is "once in so many operations of that sort", 0 is never.</summary>
public sealed record DiskFaults
{
    public static readonly DiskFaults None = new();

    /// <summary>A write takes only some of its bytes.</summary>
    public int ShortWrite { get; init; }

    /// <summary>EIO at a journal write; some of its blocks may be on the medium.</summary>
    public int JournalWriteError { get; init; }

    /// <summary>EIO at a buffered write; nothing is taken.</summary>
    public int WriteError { get; init; }

    /// <summary>EIO at a read or populate.</summary>
    public int ReadError { get; init; }

    /// <summary>A failed fdatasync or wait for write-back: unsynced writes are forgotten or done as chance has it, the cache goes
    /// on showing them.</summary>
    public int SyncError { get; init; }

    public int DirectorySyncError { get; init; }

    /// <summary>EIO at open, allocate, punch, rename or delete.</summary>
    public int MetadataError { get; init; }

    /// <summary>ENOSPC at a single allocation or creation, whatever <see cref="SimulatedDisk.IsFull"/> says.</summary>
    public int NoSpace { get; init; }

    /// <summary>A journal write lands at another place of the same file, and says nothing.</summary>
    public int MisdirectedWrite { get; init; }

    /// <summary>An EIO has to be expected.</summary>
    public bool CanFail => JournalWriteError + WriteError + ReadError + SyncError + DirectorySyncError + MetadataError > 0;
}
