using Jackdaw.Documents.EventStreams;

namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>What a live reader follows.</summary>
/// <param name="Streams">Ids of streams, each once.</param>
/// <param name="Tags">Tags, each once. With neither streams nor tags it follows everything.</param>
/// <param name="WakesOnly">It wants to know that there is something new, and reads it elsewhere.</param>
/// <param name="IsNamed">It wants to know which of its streams and tags are concerned, and nothing of deletions; only with
/// <paramref name="WakesOnly"/>.</param>
/// <param name="IsEverything">It follows everything beside what it names; only with <paramref name="IsNamed"/>.</param>
internal sealed record LiveSelection(string[] Streams, string[] Tags, bool WakesOnly, bool IsNamed = false, bool IsEverything = false)
{
    private readonly byte[][] _streams = [.. Streams.Select(text => EventStreamsEndpoints.Text(text, "stream"))];
    private readonly byte[][] _tags = [.. Tags.Select(text => EventStreamsEndpoints.Text(text, "tag"))];

    /// <summary>All events of the database.</summary>
    public bool IsAll => IsEverything || Streams.Length + Tags.Length == 0;

    /// <summary>Deletions wake it: what it has read may be gone.</summary>
    public bool HearsDeletions => WakesOnly && !IsNamed;

    /// <summary>Opens a cursor over its events after a position, deleted ones too; null: there is none.</summary>
    public EventCursor? Open(EventStreamsReader events, long after) =>
        IsAll ? events.OpenAll(after) : events.OpenSelected(_streams, _tags, after);

    /// <summary>Whether a name is a stream's, and which.</summary>
    public (bool IsStream, byte[] Text) Name(int name) =>
        name < _streams.Length ? (true, _streams[name]) : (false, _tags[name - _streams.Length]);

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
