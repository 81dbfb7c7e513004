namespace Jackdaw.Storage.Disk;

/// <summary>An open file of an <see cref="IDisk"/>. Positional I/O only; safe for concurrent use on disjoint ranges.</summary>
public unsafe interface IDiskFile : IDisposable
{
    /// <summary>Relative to the disk's root.</summary>
    string Path { get; }

    /// <summary>With the disk's root, as shown to people in errors: several environments of one process have files of the same
    /// <see cref="Path"/>.</summary>
    string FullPath { get; }

    /// <summary>Length in bytes.</summary>
    long Length { get; }

    /// <summary>Reads up to <paramref name="length"/> bytes; fewer only at the end of the file. Returns the number read.</summary>
    int ReadAt(long offset, byte* buffer, int length);

    /// <summary>
    /// Writes once, as the system call does: may be short. Returns the number of bytes taken, which on a short write need not be a
    /// multiple of anything; the engine resumes (<c>FullWrite</c>).
    /// </summary>
    int WriteAt(long offset, byte* buffer, int length);

    /// <summary>fdatasync: everything written so far is durable when it returns.</summary>
    void Sync();

    /// <summary>Starts writing a range back without waiting (sync_file_range WRITE). A hint; durability comes from
    /// <see cref="Sync"/>.</summary>
    void BeginWriteBack(long offset, long length);

    /// <summary>Waits until the range's pages have been written back (sync_file_range WAIT_BEFORE|WRITE|WAIT_AFTER). A pacing
    /// aid, not durability.</summary>
    void WaitForWriteBack(long offset, long length);

    /// <summary>Reserves real space for the range, extending the file with zeros when it reaches past the end (fallocate mode 0).</summary>
    void Allocate(long offset, long length);

    /// <summary>Gives the range's space back; it then reads as zeros (FALLOC_FL_PUNCH_HOLE, length kept).</summary>
    void Punch(long offset, long length);

    /// <summary>The first unallocated range at or after <paramref name="offset"/>, or false when there is none
    /// (SEEK_HOLE/SEEK_DATA).</summary>
    bool TryFindHole(long offset, out long holeOffset, out long holeLength);

    /// <summary>
    /// Reserves <paramref name="reserveBytes"/> of address space and maps the file read-only and shared at its start; growth of
    /// the file shows
    /// in the mapping. A file on a file system may be mapped again, larger: earlier mappings stay. Unmapped by
    /// <see cref="IDisposable.Dispose"/> only. Reading past the file's length ends the process, so callers check against
    /// <see cref="Length"/> first. Data mode only.
    /// </summary>
    byte* Map(long reserveBytes);

    /// <summary>Brings a mapped range into memory without a page fault in managed code (MADV_POPULATE_READ). An unreadable sector
    /// is a <see cref="Errors.DiskException"/>.</summary>
    void Populate(long offset, long length);

    /// <summary>Begins to read a mapped range from the medium without waiting for it (MADV_WILLNEED). A hint: it never fails.</summary>
    void BeginRead(long offset, long length) { }

    /// <summary>
    /// Tells which of the system's pages (of <see cref="Environment.SystemPageSize"/> bytes) of a mapped range are in memory: bit
    /// 0 of each byte of
    /// <paramref name="residency"/>. The range begins on such a page. False where it cannot be told, or nothing is ever evicted.
    /// </summary>
    bool TryTellResident(long offset, long length, Span<byte> residency) => false;
}
