using System.Collections.Immutable;
using System.Text;
using System.Text.Json;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Reading;

namespace Jackdaw.Simulation.Merging;

/// <summary>Holds the event streams of a database against the model: everything that a reader can see.</summary>
internal static class EventsCheckByModel
{
    public static void Run(DocumentsReader documents, EventsState state)
    {
        using var reader = new EventStreamsReader(documents);
        var visible = state.Visible.ToList();
        Compare("all events", Read(reader.OpenAll(0)), visible);
        foreach (var tag in visible.SelectMany(e => e.Tags).Distinct())
        {
            var tagged = visible.Where(e => e.Tags.Contains(tag));
            Compare($"events with the tag {tag}", Read(reader.OpenTagged([Encoding.UTF8.GetBytes(tag)], 0)), tagged);
        }
        byte[][] twoTags = [.. visible.SelectMany(e => e.Tags).Distinct().Take(2).Select(Encoding.UTF8.GetBytes)];
        var either = visible.Where(e => twoTags.Any(tag => e.Tags.Contains(Encoding.UTF8.GetString(tag)))).ToList();
        var middle = either.Count == 0 ? 0 : either[either.Count / 2].Position;
        Compare("events with two tags", Read(reader.OpenTagged(twoTags, middle)), either.Where(e => e.Position > middle));
        foreach (var stream in state.Streams.Values)
            CheckStream(reader, stream);
        CheckDocuments(documents, state, visible);
        var ids = new List<string>();
        reader.Streams(
            0,
            (_, id) =>
            {
                ids.Add(Encoding.UTF8.GetString(id));
                return true;
            }
        );
        OracleException.Require(
            ids.SequenceEqual(state.Streams.Values.OrderBy(s => s.Order).Select(s => s.Id)),
            $"the streams are {string.Join(' ', ids)}"
        );
    }

    /// <summary>Events as documents: in both orders of ids, by etag, one by one, and counted.</summary>
    private static void CheckDocuments(DocumentsReader reader, EventsState state, List<EventState> visible)
    {
        var byEtag = visible.Select(state.DocumentIdOf).ToList();
        var byId = byEtag.Order(StringComparer.Ordinal).ToList();
        RequireIds("by etag", reader.ByEtag("@events", 0), byEtag);
        RequireIds("by id", reader.ByIdPrefix("@events/"u8, []), byId);
        RequireIds("by id, descending", reader.ByIdPrefixDescending("@events/"u8, []), Enumerable.Reverse(byId));
        var count = reader.CountOf("@events");
        OracleException.Require(count is null || count == visible.Count, $"{count} events are counted instead of {visible.Count}");
        foreach (var stored in visible)
        {
            var id = state.DocumentIdOf(stored);
            OracleException.Require(
                reader.TryGet(id, out var document) && document.Etag == stored.Position,
                $"there is no document '{id}'"
            );
            using var body = JsonDocument.Parse(document.Body.ToArray());
            var payload = stored.IsJson
                ? body.RootElement.GetProperty("payload").GetRawText()
                : Encoding.UTF8.GetString(body.RootElement.GetProperty("payloadBase64").GetBytesFromBase64());
            OracleException.Require(
                payload == stored.Payload && body.RootElement.GetProperty("stream").GetString() == stored.Stream,
                $"the document '{id}' is of another event"
            );
        }
        foreach (var hidden in state.Streams.Values.SelectMany(s => s.Events.Values.Where(e => e.Number <= s.DeletedUpTo)))
        {
            var id = state.DocumentIdOf(hidden);
            OracleException.Require(
                !reader.TryGet(id, out _) && reader.TryGetChanged(id, out var document) && document.Etag == hidden.Position,
                $"the deleted event '{id}' is not shown as it should be"
            );
        }
        if (byId.Count == 0)
            return;
        var middle = byId[byId.Count / 2];
        RequireIds("by id behind one", reader.ByIdPrefix("@events/"u8, Encoding.UTF8.GetBytes(middle)), byId.Skip((byId.Count / 2) + 1));
        RequireIds(
            "by id before one",
            reader.ByIdPrefixDescending("@events/"u8, Encoding.UTF8.GetBytes(middle)),
            Enumerable.Reverse(byId.Take(byId.Count / 2))
        );
        var prefix = middle[..^3];
        RequireIds(
            $"by the prefix {prefix}",
            reader.ByIdPrefix(Encoding.UTF8.GetBytes(prefix), []),
            byId.Where(id => id.StartsWith(prefix, StringComparison.Ordinal))
        );
    }

    private static void RequireIds(string what, DocumentCursor cursor, IEnumerable<string> expected)
    {
        var found = new List<string>();
        while (cursor.MoveNext())
        {
            if (!cursor.IsHidden)
                found.Add(Encoding.UTF8.GetString(cursor.Current.Id));
        }
        OracleException.Require(
            found.SequenceEqual(expected),
            $"the documents of events {what} are {string.Join(' ', found)} instead of {string.Join(' ', expected)}"
        );
    }

    private static void CheckStream(EventStreamsReader reader, EventStreamState stream)
    {
        OracleException.Require(reader.TryGetStream(Encoding.UTF8.GetBytes(stream.Id), out var found), $"stream {stream.Id} is missing");
        OracleException.Require(
            found.Highest == stream.Highest && found.DeletedUpTo == stream.DeletedUpTo,
            $"stream {stream.Id} is {found} instead of {stream.Highest}, deleted up to {stream.DeletedUpTo}"
        );
        var own = stream.Events.Values.Where(e => e.Number > stream.DeletedUpTo).ToList();
        Compare($"stream {stream.Id}", Read(reader.OpenStream(found, 1, long.MaxValue, isBackward: false)), own);
        own.Reverse();
        Compare($"stream {stream.Id} backward", Read(reader.OpenStream(found, 1, long.MaxValue, isBackward: true)), own);
        var from = stream.Highest / 3;
        var to = stream.Highest / 2;
        Compare(
            $"stream {stream.Id} from {from} to {to}",
            Read(reader.OpenStream(found, from, to, isBackward: true)),
            own.Where(e => e.Number >= from && e.Number <= to)
        );
    }

    private static List<EventState> Read(EventCursor? cursor)
    {
        var read = new List<EventState>();
        while (cursor?.MoveNext() == true)
        {
            if (!cursor.IsDeleted)
                read.Add(ToState(cursor.Current));
        }
        cursor?.Dispose();
        return read;
    }

    private static EventState ToState(in StoredEvent found)
    {
        var tags = ImmutableSortedSet.CreateBuilder<string>();
        for (var i = 0; i < found.TagCount; i++)
            tags.Add(Encoding.UTF8.GetString(found.Tag(i)));
        return new EventState(
            Encoding.UTF8.GetString(found.StreamId),
            found.Number,
            found.Position,
            Encoding.UTF8.GetString(found.Writer),
            found.Ticks,
            Encoding.UTF8.GetString(found.Payload),
            found.IsJson,
            found.Serializer,
            Encoding.UTF8.GetString(found.Manifest),
            Encoding.UTF8.GetString(found.AdapterManifest),
            tags.ToImmutable()
        );
    }

    private static void Compare(string what, List<EventState> found, IEnumerable<EventState> expected)
    {
        var wanted = expected.ToList();
        for (var i = 0; i < Math.Max(found.Count, wanted.Count); i++)
        {
            var one = i < found.Count ? found[i] : null;
            var other = i < wanted.Count ? wanted[i] : null;
            OracleException.Require(
                one is not null && other is not null && one.IsLike(other),
                $"{what}: event {i} is {one?.ToString() ?? "missing"} instead of {other?.ToString() ?? "none"}"
            );
        }
    }
}
