namespace Jackdaw.Storage.Errors;

/// <summary>The root of every operating error of the engine. Programmer errors are <see cref="InvariantViolationException"/>.</summary>
public abstract class StorageException : Exception
{
    /// <summary>Creates the error.</summary>
    protected StorageException(string message, Exception? inner = null)
        : base(message, inner) { }
}
