namespace Jackdaw.Storage.Errors;

/// <summary>A system call on a file failed. Carries the file, the operation, the offset in bytes and errno.</summary>
public class DiskException : StorageException
{
    /// <summary>Creates the error of one system call.</summary>
    public DiskException(string path, string operation, long offset, int errno, string reason)
        : base($"{operation} of '{path}'{Place(operation, offset)} failed: {reason} (errno {errno}).")
    {
        Path = path;
        Operation = operation;
        Offset = offset;
        Errno = errno;
    }

    /// <summary>The file or directory.</summary>
    public string Path { get; }

    /// <summary>The name of the operation.</summary>
    public string Operation { get; }

    /// <summary>Where in the file, in bytes.</summary>
    public long Offset { get; }

    /// <summary>The error number of the operating system.</summary>
    public int Errno { get; }

    /// <summary>What is done to a whole file or folder has no place in it.</summary>
    private static string Place(string operation, long offset) =>
        offset > 0 || operation is "read" or "write" or "pwrite" ? $" at offset {offset}" : "";
}
