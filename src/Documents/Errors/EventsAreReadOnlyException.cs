namespace Jackdaw.Documents.Errors;

/// <summary>A document operation would change an event, or take an event's id or the collection of events for a document.</summary>
public sealed class EventsAreReadOnlyException : OperationException
{
    /// <summary>Creates the error.</summary>
    /// <param name="what">What would be changed: an id, a prefix or a collection.</param>
    public EventsAreReadOnlyException(string what)
        : base(
            $"{what} belongs to the events of event streams, which are read-only as documents. "
                + "Append with POST /events, delete with DELETE /events."
        ) { }
}
