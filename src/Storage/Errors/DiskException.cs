namespace Jackdaw.Storage.Errors;

/// <summary>A system call on a file failed. Carries the file, the operation, the offset in bytes and errno.</summary>
public class DiskException : StorageException
{
    public DiskException(string path, string operation, long offset, int errno, string reason)
        : base($"{operation} of '{path}'{Place(operation, offset)} failed: {reason} (errno {errno}).")
    {
        Path = path;
        Operation = operation;
        Offset = offset;
        Errno = errno;
    }

    public string Path { get; }

    public string Operation { get; }

    public long Offset { get; }

    public int Errno { get; }

    /// <summary>What is done to a whole file or folder has no place in it.</summary>
    private static string Place(string operation, long offset) =>
        offset > 0 || operation is "read" or "write" or "pwrite" ? $" at offset {offset}" : "";
}
