using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Documents.Rooms;
using Jackdaw.Simulation.Merging;
using Xunit;

namespace Jackdaw.Documents.Tests.EventStreams;

/// <summary>Each rule of event streams is seen to be broken once.</summary>
public sealed class EventsCheckTests : IDisposable
{
    private readonly TestDatabase _database = new();

    public EventsCheckTests()
    {
        Append("a", 1, 5);
        Append("b", 1, 2);
        _database.Do(new DeleteEventsOperation("a"u8, 2));
        _database.Do(new Tombstones.CleanTombstonesOperation { UpToEtag = _database.Merger.LastDurableEtag });
        _database.Do(new DeleteEventsOperation("a"u8, 3));
    }

    public void Dispose() => _database.Dispose();

    [Fact]
    public void A_sound_database_has_no_findings() => Assert.Empty(Findings());

    [Fact]
    public void Each_broken_rule_is_found()
    {
        Finds("has no entry", tables => tables.Tags.Delete(TagKey(tables, 7)));
        Finds("entries of tags", tables => tables.Tags.Put(TagKey(tables, 1), []));
        Finds("counts 3 events, and there are 2", tables => tables.Rows.Delete(Etag(5)));
        Finds("its highest number is", tables => Change(tables, 2, (ref StreamRow row) => row.Highest = 1));
        Finds("no deletion waits for its row", tables => tables.Deletions.Clear());
        Finds("no deletion waits for its row", tables => Change(tables, 1, (ref StreamRow row) => row.DeletedUpTo = 4));
        Finds("which does not say so", tables => Change(tables, 1, (ref StreamRow row) => row.DeletedUpTo = 2));
        Finds("its writer 1", tables => tables.Names.Delete(Name(1)), "is no name");
        Finds("out of place", tables => Change(tables, 1, (ref StreamRow row) => row.DeletedUpTo = 1));
        Finds("are malformed", tables => tables.Digests.Put(Stream(1), [1]));
        Finds("the deletion with etag", tables => tables.Deletions.Put(Etag(99), new byte[3]), "is malformed");
        Finds(
            "above the last one",
            tables =>
            {
                tables.Rows.TryGet(Etag(7), out var row);
                byte[] copy = row.ToArray();
                tables.Rows.Delete(Etag(7));
                tables.Rows.Insert(Etag(1000), copy);
            }
        );
        Finds(
            "not above that of the event before it",
            tables =>
            {
                tables.Rows.TryGet(Etag(7), out var row);
                byte[] copy = row.ToArray();
                tables.Rows.Delete(Etag(7));
                tables.Rows.Insert(Etag(2), copy);
            }
        );
        Finds(
            "its row is malformed",
            tables =>
            {
                tables.Rows.TryGet(Etag(7), out var row);
                byte[] copy = row.ToArray();
                copy[1] = 0x80;
                tables.Rows.Update(Etag(7), copy);
            }
        );
    }

    /// <summary>Breaks a rule, looks, and begins anew.</summary>
    private static void Finds(string finding, Action<EventTables> breaking, string also = "")
    {
        using var broken = new EventsCheckTests();
        broken._database.Do(new Breaking(breaking));
        var findings = broken.Findings();
        Assert.Contains(
            findings,
            found => found.Contains(finding, StringComparison.Ordinal) && found.Contains(also, StringComparison.Ordinal)
        );
    }

    private static void Change(EventTables tables, long stream, RowChange change)
    {
        tables.Streams.TryGet(Stream(stream), out var stored);
        var row = StreamRow.Read(stored);
        change(ref row);
        tables.Update(stream, row);
    }

    private IReadOnlyList<string> Findings() => RoomsCheck.Run(_database.Storage, [EventsRoom.Instance]);

    private void Append(string stream, long first, int count)
    {
        ModelEvent[] events = [.. Enumerable.Range(0, count).Select(i => new ModelEvent($"{i}", Tags: ["t"]))];
        _database.Do(SimulatedAppend.ToOperation([new ModelGroup(stream, first, null, "writer", false, events)]));
    }

    private static byte[] Etag(long etag)
    {
        byte[] key = new byte[Schema.EtagKeyBytes];
        Schema.WriteEtagKey(etag, key);
        return key;
    }

    private static byte[] Stream(long number)
    {
        byte[] key = new byte[EventsRoom.StreamKeyBytes];
        EventsRoom.WriteStreamKey(number, key);
        return key;
    }

    private static byte[] Name(int number)
    {
        byte[] key = new byte[EventsRoom.NameKeyBytes];
        EventsRoom.WriteNameKey(number, key);
        return key;
    }

    private static byte[] TagKey(EventTables tables, long etag)
    {
        byte[] key = new byte[EventsRoom.TagKeyBytes];
        EventsRoom.WriteTagKey(tables.FindName("t"u8), etag, key);
        return key;
    }

    private delegate void RowChange(ref StreamRow row);

    private sealed class Breaking(Action<EventTables> action) : RoomOperation(EventsRoom.Instance)
    {
        public override long SizeBytes => 0;

        protected override void Execute(RoomWriter writer) => action(EventTables.ToChange(writer));
    }
}
