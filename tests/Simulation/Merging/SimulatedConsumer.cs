using System.Text;
using Jackdaw.Documents.Reading;

namespace Jackdaw.Simulation.Merging;

/// <summary>
/// Reads the changes of its collections forward from a position of its own, a few at a time, and keeps what it was told: which
/// documents there are. Position and knowledge outlive every crash, as they do with a receiver elsewhere.
/// </summary>
/// <param name="Name">Names it in what goes wrong.</param>
/// <param name="Collections">In lower case; null: every collection.</param>
internal sealed record SimulatedConsumer(string Name, IReadOnlyList<string>? Collections)
{
    private readonly Dictionary<string, long> _known = new(StringComparer.Ordinal);

    /// <summary>Etags of all events that it was ever told of.</summary>
    private readonly HashSet<long> _events = [];

    /// <summary>Events are shown to those only who name them.</summary>
    public bool ReadsEvents => Collections?.Contains("@events") == true;

    /// <summary>It has read everything up to this etag.</summary>
    public long Position { get; private set; }

    public bool Wants(string collection) => Collections is null || Collections.Contains(collection.ToLowerInvariant());

    /// <summary>Reads on. At the end, what it knows must be what there is. True when it has come to the end.</summary>
    public bool Read(DocumentsReader reader, DatabaseState state, int atMost)
    {
        var changes = Collections is null ? reader.Changes(Position) : reader.Changes(Collections, Position);
        for (; atMost > 0; atMost--)
        {
            if (!changes.MoveNext())
            {
                Compare(state);
                return true;
            }
            Learn(changes.Current);
        }
        return false;
    }

    private void Learn(in DocumentChange change)
    {
        OracleException.Require(change.Etag > Position, $"consumer '{Name}' at etag {Position} is told of etag {change.Etag}");
        Position = change.Etag;
        if (change.IsTombstone)
            _known.Remove(Encoding.UTF8.GetString(change.Tombstone.LowerId));
        else
        {
            _known[Encoding.UTF8.GetString(change.Document.LowerId)] = change.Etag;
            if (!change.Document.StreamId.IsEmpty)
                _events.Add(change.Etag);
        }
    }

    /// <summary>Whatever was stored, it was told of, also when it is deleted by now, and of the deletions.</summary>
    private void CompareEvents(EventsState events)
    {
        var visible = events.Visible.ToDictionary(events.DocumentIdOf, stored => stored.Position, StringComparer.Ordinal);
        foreach (var (id, etag) in _known.Where(known => known.Key.StartsWith("@events/", StringComparison.Ordinal)))
            OracleException.Require(
                visible.TryGetValue(id, out var position) && position == etag,
                $"consumer '{Name}' at etag {Position} was told of '{id}' with etag {etag} and never of its deletion"
            );
        foreach (var (id, etag) in visible)
            OracleException.Require(_known.ContainsKey(id), $"consumer '{Name}' at etag {Position} does not know '{id}' with etag {etag}");
        foreach (var stored in events.Streams.Values.SelectMany(stream => stream.Events.Values.Concat(stream.Removed)))
            OracleException.Require(
                _events.Contains(stored.Position),
                $"consumer '{Name}' at etag {Position} was never told of event {stored.Number} of '{stored.Stream}', etag {stored.Position}"
            );
    }

    private void Compare(DatabaseState state)
    {
        if (ReadsEvents)
            CompareEvents(state.Events);
        foreach (var (id, etag) in _known.Where(known => !known.Key.StartsWith("@events/", StringComparison.Ordinal)))
            OracleException.Require(
                state.Documents.TryGetValue(id, out var document) && Wants(document.Collection) && document.Etag == etag,
                $"consumer '{Name}' at etag {Position} was told of '{id}' with etag {etag} and never of what became of it; "
                    + $"there is {document?.ToString() ?? "no such document"}"
            );
        foreach (var (id, document) in state.Documents)
            OracleException.Require(
                !Wants(document.Collection) || _known.ContainsKey(id),
                $"consumer '{Name}' at etag {Position} was never told of '{id}' with etag {document.Etag}"
            );
    }
}
