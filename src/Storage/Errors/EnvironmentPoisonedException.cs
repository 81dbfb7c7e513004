namespace Jackdaw.Storage.Errors;

/// <summary>An earlier failure (see <see cref="Exception.InnerException"/>) makes further writes unsafe; reopen the environment
/// to recover. Reads go on.</summary>
public sealed class EnvironmentPoisonedException : StorageException
{
    /// <summary>Creates the error for an environment, with what poisoned it.</summary>
    public EnvironmentPoisonedException(string environment, Exception cause)
        : base($"'{environment}' refuses writes since an earlier failure and must be reopened: {cause.Message}", cause) { }
}
