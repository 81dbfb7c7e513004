using Jackdaw.Documents.EventStreams;

namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>What a live reader follows.</summary>
/// <param name="Streams">Ids of streams, each once.</param>
/// <param name="Tags">Tags, each once. With neither streams nor tags it follows everything.</param>
/// <param name="WakesOnly">It wants to know that there is something new, and reads it elsewhere.</param>
internal sealed record LiveSelection(string[] Streams, string[] Tags, bool WakesOnly)
{
    private readonly byte[][] _streams = [.. Streams.Select(text => EventStreamsEndpoints.Text(text, "stream"))];
    private readonly byte[][] _tags = [.. Tags.Select(text => EventStreamsEndpoints.Text(text, "tag"))];

    /// <summary>All events of the database.</summary>
    public bool IsAll => Streams.Length + Tags.Length == 0;

    /// <summary>Opens a cursor over its events after a position, deleted ones too; null: there is none.</summary>
    public EventCursor? Open(EventStreamsReader events, long after) =>
        IsAll ? events.OpenAll(after) : events.OpenSelected(_streams, _tags, after);

    /// <summary>Whether a deletion in a stream concerns it. The deleted events may have had any tag.</summary>
    public bool IsConcernedByDeletion(EventStreamsReader events, long streamNumber)
    {
        if (IsAll || _tags.Length > 0)
            return true;
        foreach (var stream in _streams)
        {
            if (events.IdOf(streamNumber).SequenceEqual(stream))
                return true;
        }
        return false;
    }
}
