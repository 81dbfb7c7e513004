namespace Jackdaw.EventStreams.Client.Errors;

/// <summary>A call to the server failed. Each situation has a type of its own.</summary>
public abstract class EventStreamsException : Exception
{
    /// <summary>Creates one.</summary>
    protected EventStreamsException(string message, Exception? inner = null)
        : base(message, inner) { }
}
