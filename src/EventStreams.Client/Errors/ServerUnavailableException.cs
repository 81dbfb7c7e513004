namespace Jackdaw.EventStreams.Client.Errors;

/// <summary>
/// The server gave no answer for as long as the call was repeated. A write that was sent at least once may have been stored:
/// <see cref="IsOutcomeUnknown"/>. The inner exception is the last attempt's.
/// </summary>
public sealed class ServerUnavailableException : EventStreamsException
{
    internal ServerUnavailableException(string message, bool isOutcomeUnknown, Exception? inner)
        : base(message, inner) => IsOutcomeUnknown = isOutcomeUnknown;

    /// <summary>True when a write may have been stored; false when it never left this process, and for reads.</summary>
    public bool IsOutcomeUnknown { get; }
}
