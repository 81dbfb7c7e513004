namespace Jackdaw.EventStreams.Client.Errors;

/// <summary>
/// The name of the database leads to another database than before: it was deleted and created again, or replaced by a copy. Numbers
/// and positions that were read before belong to another history, so every call of this client fails from then on.
/// </summary>
public sealed class DatabaseChangedException : EventStreamsException
{
    internal DatabaseChangedException(string message)
        : base(message) { }
}
