namespace Jackdaw.Storage.Errors;

/// <summary>The engine found itself in a state that its own rules exclude. A bug; the environment is poisoned.</summary>
public sealed class InvariantViolationException : Exception
{
    /// <summary>Creates the error; the message states the invariant.</summary>
    public InvariantViolationException(string message)
        : base(message) { }
}
