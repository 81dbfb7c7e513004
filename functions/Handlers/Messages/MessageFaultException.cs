namespace Jackdaw.Functions.Handlers.Messages;

/// <summary>The message itself cannot be handled, however often it is tried: it becomes a dead letter.</summary>
public sealed class MessageFaultException : Exception
{
    /// <summary>Creates the error with a sentence that says what is wrong with the message.</summary>
    public MessageFaultException(string message, Exception? inner = null)
        : base(message, inner) { }
}
