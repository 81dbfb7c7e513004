namespace Jackdaw.Storage.Errors;

/// <summary>The engine found itself in a state that its own rules exclude. A bug; the environment is poisoned.</summary>
public sealed class InvariantViolationException : Exception
{
    public InvariantViolationException(string message)
        : base(message) { }
}
