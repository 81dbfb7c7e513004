namespace Jackdaw.Storage.Errors;

/// <summary>Another process holds the environment's lock file.</summary>
public sealed class EnvironmentLockedException : StorageException
{
    /// <summary>Creates the error, with the process that holds the lock where it is known.</summary>
    public EnvironmentLockedException(string path, int? holderProcessId)
        : base(
            $"'{path}' is in use by {(holderProcessId is { } pid ? $"process {pid}" : "another process")}; "
                + "two servers cannot share one data folder."
        )
    {
        HolderProcessId = holderProcessId;
    }

    /// <summary>Null when the lock file could not be read.</summary>
    public int? HolderProcessId { get; }
}
