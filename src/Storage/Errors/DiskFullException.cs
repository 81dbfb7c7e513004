namespace Jackdaw.Storage.Errors;

/// <summary>There is no room (ENOSPC or EDQUOT). Thrown where space is reserved, so that exactly one transaction is refused and
/// nothing is lost.</summary>
public sealed class DiskFullException : DiskException
{
    /// <summary>ENOSPC.</summary>
    public const int ErrnoNoSpace = 28;

    /// <summary>Creates the error of one system call.</summary>
    public DiskFullException(string path, string operation, long offset, int errno)
        : base(path, operation, offset, errno, "no space left on the device; free some space and writing resumes by itself") { }
}
