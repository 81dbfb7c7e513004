using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents;

/// <summary>
/// A small file beside a database's environment, for what must outlive the process but is no part of the data: no transaction,
/// copy or check has it. What is written
/// outlives the process at once, and the machine after <see cref="Sync"/>. For one thread at a time. Errors are
/// <see cref="DiskException"/>s.
/// </summary>
public sealed unsafe class DatabaseNote : IDisposable
{
    internal const string Folder = "notes";

    private readonly IDiskFile _file;

    internal DatabaseNote(IDisk disk, string name)
    {
        disk.CreateDirectory(Folder);
        _file = disk.Open(PathOf(name), DiskFileMode.Buffered, create: true);
        // Also where the names are there: whoever made them may have died before they were durable.
        disk.SyncDirectory("");
        disk.SyncDirectory(Folder);
    }

    internal static string PathOf(string name) => $"{Folder}/{name}";

    /// <summary>Reads as far as the file goes, and zeros behind it.</summary>
    public void Read(long offset, Span<byte> bytes)
    {
        bytes.Clear();
        fixed (byte* start = bytes)
        {
            for (int done = 0; done < bytes.Length; )
            {
                int read = _file.ReadAt(offset + done, start + done, bytes.Length - done);
                if (read == 0)
                    return;
                done += read;
            }
        }
    }

    /// <summary>Writes into the page cache; a crash of the process keeps it, a crash of the machine may lose it.</summary>
    /// <param name="offset">In bytes, from the start of the note.</param>
    /// <param name="bytes">What to write there.</param>
    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        fixed (byte* start = bytes)
        {
            for (int done = 0; done < bytes.Length; )
            {
                int written = _file.WriteAt(offset + done, start + done, bytes.Length - done);
                if (written <= 0)
                    throw new DiskException(_file.FullPath, "write", offset + done, 0, "nothing was taken");
                done += written;
            }
        }
    }

    /// <summary>Makes durable what was written. The file's own name is durable since the note was opened.</summary>
    public void Sync() => _file.Sync();

    /// <summary>Closes the file.</summary>
    public void Dispose() => _file.Dispose();
}
