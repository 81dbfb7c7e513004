namespace Jackdaw.EventStreams.Client.Errors;

/// <summary>What answers is not Jackdaw, or a version of it whose answers this client does not understand.</summary>
public sealed class UnexpectedAnswerException : EventStreamsException
{
    internal UnexpectedAnswerException(string message, Exception? inner = null)
        : base(message, inner) { }
}
