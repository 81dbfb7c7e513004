namespace Jackdaw.Storage.Errors;

/// <summary>A system call on a file failed. Carries the file, the operation, the offset in bytes and errno.</summary>
public class DiskException : StorageException
{
    public DiskException(string path, string operation, long offset, int errno, string reason)
        : base($"{operation} of '{path}' at offset {offset} failed: {reason} (errno {errno}).")
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
}
