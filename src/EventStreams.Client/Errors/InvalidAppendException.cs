namespace Jackdaw.EventStreams.Client.Errors;

/// <summary>A stream id, an event or a snapshot breaks a rule or is over a limit. Nothing was sent.</summary>
public sealed class InvalidAppendException : EventStreamsException
{
    /// <summary>Creates one.</summary>
    public InvalidAppendException(string message)
        : base(message) { }
}
