using System.Text;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Documents.Watching;
using Jackdaw.Simulation.Merging;
using Xunit;

namespace Jackdaw.Documents.Tests.EventStreams;

/// <summary>The rules of docs/event-streams.md, one by one.</summary>
public sealed class EventStreamTests : IDisposable
{
    private readonly TestDatabase _database = new();

    public void Dispose() => _database.Dispose();

    [Fact]
    public void Events_come_back_with_their_exact_bytes_in_the_order_of_numbers_and_of_positions()
    {
        Append(Group("a", 1, "one", "two"));
        Append(Group("b", 7, "three"));
        Append(Group("a", 3, "four"));

        Assert.Equal(["1:one", "2:two", "3:four"], Read("a"));
        Assert.Equal(["3:four", "2:two", "1:one"], Read("a", isBackward: true));
        Assert.Equal(["7:three"], Read("b"));
        Assert.Equal(["a1", "a2", "b7", "a3"], ReadAll());
        Assert.Equal(["b7", "a3"], ReadAll(after: 2));
    }

    [Fact]
    public void Ids_that_differ_in_case_only_are_two_streams()
    {
        Append(Group("Account", 1, "upper"));
        Append(Group("account", 1, "lower"));

        Assert.Equal(["1:upper"], Read("Account"));
        Assert.Equal(["1:lower"], Read("account"));
    }

    [Fact]
    public void An_exact_repeat_is_stored_whoever_has_written_since()
    {
        var first = Group("a", 1, "one", "two") with { Writer = "w1", ExpectedLast = 0 };
        Append(first);
        Append(Group("a", 3, "three") with { Writer = "w2" });

        // It would be fenced, and a conflict, and a duplicate.
        Assert.Equal([AppendOutcome.Stored], Append(first));
        Assert.Equal(["1:one", "2:two", "3:three"], Read("a"));
        Assert.Equal(3, _database.Writer.LastEtag);
    }

    [Theory]
    [InlineData("payload")]
    [InlineData("ticks")]
    [InlineData("writer")]
    [InlineData("tag")]
    [InlineData("manifest")]
    [InlineData("serializer")]
    [InlineData("length")]
    public void A_repeat_that_differs_in_anything_is_a_duplicate(string part)
    {
        var sent = new ModelEvent("one", Serializer: 1, Ticks: 5, Manifest: "m", Tags: ["t"]);
        var first = new ModelGroup("a", 1, null, "w", false, [sent]);
        Append(first);
        var other = part switch
        {
            "payload" => first with { Events = [sent with { Payload = "two" }] },
            "ticks" => first with { Events = [sent with { Ticks = 6 }] },
            "writer" => first with { Writer = "w2" },
            "tag" => first with { Events = [sent with { Tags = ["t", "u"] }] },
            "manifest" => first with { Events = [sent with { Manifest = "" }] },
            "serializer" => first with { Events = [sent with { Serializer = 2 }] },
            _ => first with { Events = [sent, sent] },
        };

        Assert.Equal([AppendOutcome.Duplicate], Append(other));
        Assert.Equal([AppendOutcome.Stored], Append(first));
    }

    [Fact]
    public void Fenced_comes_before_conflict_and_conflict_before_duplicate()
    {
        Append(Group("a", 1, "one") with { Writer = "w1" });
        Append(Group("a", 2, "two") with { Writer = "w2" });

        Assert.Equal([AppendOutcome.Fenced], Append(Group("a", 1, "x") with { Writer = "w1", ExpectedLast = 0 }));
        Assert.Equal([AppendOutcome.Conflict], Append(Group("a", 1, "x") with { Writer = "w2", ExpectedLast = 0 }));
        Assert.Equal([AppendOutcome.Duplicate], Append(Group("a", 1, "x") with { Writer = "w2" }));
    }

    [Fact]
    public void A_replaced_writer_is_fenced_until_it_takes_over_or_ten_others_have_come()
    {
        for (int i = 0; i <= 10; i++)
            Assert.Equal([AppendOutcome.Stored], Append(Group("a", i + 1, "e") with { Writer = $"w{i}" }));
        Assert.Equal([AppendOutcome.Fenced], Append(Group("a", 12, "x") with { Writer = "w0" }));
        Assert.Equal([AppendOutcome.Stored], Append(Group("a", 12, "x") with { Writer = "w1", TakesOver = true }));
        Assert.Equal([AppendOutcome.Fenced], Append(Group("a", 13, "x") with { Writer = "w10" }));
        // Nobody is fenced without a writer, and nobody is replaced.
        Assert.Equal([AppendOutcome.Stored], Append(Group("a", 13, "x")));
        Assert.Equal([AppendOutcome.Stored], Append(Group("a", 14, "x") with { Writer = "w1" }));
        // w0 is the eleventh now: a new writer pushes it out.
        Assert.Equal([AppendOutcome.Stored], Append(Group("a", 15, "x") with { Writer = "w11" }));
        Assert.Equal([AppendOutcome.Stored], Append(Group("a", 16, "x") with { Writer = "w0" }));
    }

    [Fact]
    public void A_refused_group_refuses_the_others_of_its_stream_and_of_no_other()
    {
        Append(Group("a", 1, "one"));

        var outcomes = Append(Group("a", 2, "before"), Group("b", 1, "other"), Group("a", 1, "collides"), Group("a", 3, "behind"));

        Assert.Equal([AppendOutcome.Duplicate, AppendOutcome.Stored, AppendOutcome.Duplicate, AppendOutcome.Duplicate], outcomes);
        Assert.Equal(["1:one"], Read("a"));
        Assert.Equal(["1:other"], Read("b"));
    }

    [Fact]
    public void A_group_that_is_too_large_leaves_a_gap_that_the_next_one_may_follow()
    {
        var large = Group("a", 2, "ok", new string('x', SimulatedAppend.EventLimits.MaxEventBytes + 1));

        var outcomes = Append(Group("a", 1, "one"), large, Group("a", 4, "four"));

        Assert.Equal([AppendOutcome.Stored, AppendOutcome.TooLarge, AppendOutcome.Stored], outcomes);
        Assert.Equal(["1:one", "4:four"], Read("a"));
    }

    [Fact]
    public void A_deletion_hides_events_from_every_read_at_once_and_keeps_the_highest_number()
    {
        Append(Tagged("a", 1, "t", "one", "two", "three"));
        Append(Tagged("b", 1, "t", "other"));

        Assert.Equal(3, Delete("a", long.MaxValue).DeletedUpTo);

        Assert.Empty(Read("a"));
        Assert.Equal(["b1"], ReadAll());
        Assert.Equal(["b1"], ReadTagged("t"));
        using (var reader = _database.Read())
        using (var events = new EventStreamsReader(reader))
        {
            Assert.True(events.TryGetStream("a"u8, out var stream));
            Assert.Equal(3, stream.Highest);
        }
        Assert.Equal([AppendOutcome.Duplicate], Append(Group("a", 3, "again")));
        Assert.Equal([AppendOutcome.Stored], Append(Group("a", 4, "four")));
        Assert.Equal(["4:four"], Read("a"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Repeating_an_append_of_events_that_are_deleted_is_stored(bool rowsAreRemoved)
    {
        var sent = new ModelGroup("a", 1, null, "w", false, [new("one", Ticks: 5, Tags: ["x", "y"]), new("two"), new("three")]);
        Append(sent);
        Delete("a", 2);
        if (rowsAreRemoved)
            Assert.Equal(3, Clean());

        Assert.Equal([AppendOutcome.Stored], Append(sent));
        Assert.Equal([AppendOutcome.Duplicate], Append(sent with { Events = [sent.Events[0] with { Ticks = 6 }, .. sent.Events.Skip(1)] }));
        Assert.Equal(
            [AppendOutcome.Duplicate],
            Append(sent with { Events = [sent.Events[0] with { Payload = "" }, .. sent.Events.Skip(1)] })
        );
        Assert.Equal(
            [AppendOutcome.Duplicate],
            Append(sent with { Events = [sent.Events[0] with { Tags = ["x"] }, .. sent.Events.Skip(1)] })
        );
        Assert.Equal(["3:three"], Read("a"));
    }

    [Fact]
    public void Of_a_long_group_that_was_removed_the_last_eighty_events_prove_the_repeat()
    {
        var sent = Group("a", 1, [.. Enumerable.Range(0, 200).Select(i => $"event {i}")]);
        Append(sent);
        Delete("a", long.MaxValue);
        Assert.Equal(201, Clean());

        Assert.Equal([AppendOutcome.Stored], Append(sent));
        var other = sent with { Events = [.. sent.Events.Take(199), new ModelEvent("another")] };
        Assert.Equal([AppendOutcome.Duplicate], Append(other));
        // Nothing is left to compare the first hundred with.
        Assert.Equal([AppendOutcome.Duplicate], Append(sent with { Events = [.. sent.Events.Take(100)] }));
    }

    [Fact]
    public void Rows_of_deleted_events_stay_until_consumers_of_events_have_passed_the_deletion()
    {
        Append(Group("a", 1, "one", "two"));
        Delete("a", 2);
        var positions = new ConsumerPositions(_database.Clock);
        var consumer = positions.Register("index", 0, collection => collection == "@events");
        positions.Register("of documents", 0, collection => collection == "Users");

        Assert.Equal(0, Clean(positions));
        // The deletion has an etag for each event: 3 and 4.
        consumer.Etag = 3;
        Assert.Equal(0, Clean(positions));
        consumer.Etag = 4;
        Assert.Equal(3, Clean(positions));
    }

    [Fact]
    public void Stored_and_deleted_events_wake_whoever_wants_them_and_nobody_else()
    {
        int events = 0;
        int deletions = 0;
        int documents = 0;
        _database.Watchers.Watch(c => c == "@events" ? ChangeKinds.Documents : ChangeKinds.None, () => events++);
        _database.Watchers.Watch(c => c == "@events" ? ChangeKinds.Deletions : ChangeKinds.None, () => deletions++);
        _database.Watchers.Watch(c => c == "Users" ? ChangeKinds.All : ChangeKinds.None, () => documents++);

        Append(Group("a", 1, "one"));
        Assert.Equal((1, 0, 0), (events, deletions, documents));
        Delete("a", 1);
        Assert.Equal((1, 1, 0), (events, deletions, documents));
        // What changes nothing wakes nobody.
        Append(Group("a", 1, "one"));
        _database.Do(TestDatabase.Put("x", "{}"));
        Assert.Equal((1, 1, 0), (events, deletions, documents));
    }

    [Fact]
    public void No_document_gets_the_collection_or_an_id_of_events()
    {
        var collection = TestDatabase.Put("users/1", """{"@metadata":{"@collection":"@Events"}}""");
        Assert.Contains(
            "@events",
            Assert.Throws<EventsAreReadOnlyException>(() => _database.Do(collection)).Message,
            StringComparison.Ordinal
        );
        var id = TestDatabase.Put("@Events/1/1", "{}");
        Assert.Contains("@events/", Assert.Throws<EventsAreReadOnlyException>(() => _database.Do(id)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_breaks_a_rule_is_refused_with_its_place_and_the_limit()
    {
        Refuses("groups[0].stream has 1,001 bytes; the limit is 1,000", Group(new string('x', 1001), 1, "e"));
        Assert.Equal([AppendOutcome.Stored], Append(Group(new string('x', 1000), 1, "e")));
        Refuses("groups[0].stream is empty", Group("", 1, "e"));
        Refuses("groups[1].first is 0", Group("a", 1, "e"), Group("a", 0, "e"));
        Refuses("groups[0].first is -1", Group("a", -1, "e"));
        Refuses("groups[0].expectedLast is -1", Group("a", 1, "e") with { ExpectedLast = -1 });
        Refuses("groups[0] goes beyond", Group("a", long.MaxValue, "e", "f"));
        Assert.Equal([AppendOutcome.Stored], Append(Group("last", long.MaxValue, "e")));
        Refuses("groups[0] names neither", Group("a", 1, "e") with { First = null });
        Refuses("groups[0] has no events", Group("a", 1));
        Refuses("groups[0].events[1].tags[0] is empty", new ModelGroup("a", 1, null, "", false, [new("e"), new("e", Tags: [""])]));
        string[] tags = [.. Enumerable.Range(0, 1000).Select(i => $"t{i}")];
        Refuses("groups[0].events[0] has 1,000 tags; the limit is 100", new ModelGroup("a", 1, null, "", false, [new("e", Tags: tags)]));
        Assert.Equal([AppendOutcome.Stored], Append(new ModelGroup("tags", 1, null, "", false, [new("e", Tags: tags[..100])])));
        Refuses("groups[0].events[0].ticks is -1", new ModelGroup("a", 1, null, "", false, [new("e", Ticks: -1)]));
        var append = new AppendOperation(new Limits { MaxAppendBytes = 500 });
        var group = append.AddGroup();
        var large = Assert.Throws<TooLargeException>(() => group.Add(new NewEvent { Payload = new byte[501] }));
        Assert.Equal("Limits.MaxAppendSizeInMb", large.Setting);
    }

    private static void Refuses(string message, params ModelGroup[] groups) =>
        Assert.Contains(
            message,
            Assert.Throws<InvalidAppendException>(() => SimulatedAppend.ToOperation(groups)).Message,
            StringComparison.Ordinal
        );

    private static ModelGroup Group(string stream, long first, params string[] payloads) =>
        new(stream, first, null, "", false, [.. payloads.Select(payload => new ModelEvent(payload))]);

    private static ModelGroup Tagged(string stream, long first, string tag, params string[] payloads) =>
        new(stream, first, null, "", false, [.. payloads.Select(payload => new ModelEvent(payload, Tags: [tag]))]);

    private AppendOutcome[] Append(params ModelGroup[] groups)
    {
        var operation = SimulatedAppend.ToOperation(groups);
        _database.Do(operation);
        return [.. operation.Groups.Select(group => group.Outcome)];
    }

    private DeleteEventsOperation Delete(string stream, long upTo)
    {
        var operation = new DeleteEventsOperation(Encoding.UTF8.GetBytes(stream), upTo);
        _database.Do(operation);
        return operation;
    }

    /// <summary>Returns how many rows and records went.</summary>
    private int Clean(ConsumerPositions? consumers = null)
    {
        var operation = new CleanTombstonesOperation { Consumers = consumers?.Places() ?? [], UpToEtag = _database.Merger.LastDurableEtag };
        _database.Do(operation);
        return operation.RemovedEvents;
    }

    private List<string> Read(string stream, bool isBackward = false)
    {
        using var reader = _database.Read();
        using var events = new EventStreamsReader(reader);
        Assert.True(events.TryGetStream(Encoding.UTF8.GetBytes(stream), out var found));
        var read = new List<string>();
        for (var cursor = events.OpenStream(found, 1, long.MaxValue, isBackward); cursor.MoveNext(); )
            read.Add($"{cursor.Current.Number}:{Encoding.UTF8.GetString(cursor.Current.Payload)}");
        return read;
    }

    private List<string> ReadAll(long after = 0)
    {
        using var reader = _database.Read();
        using var events = new EventStreamsReader(reader);
        return Places(events.OpenAll(after)!);
    }

    private List<string> ReadTagged(string tag)
    {
        using var reader = _database.Read();
        using var events = new EventStreamsReader(reader);
        return Places(events.OpenTagged([Encoding.UTF8.GetBytes(tag)], 0)!);
    }

    private static List<string> Places(EventCursor cursor)
    {
        var read = new List<string>();
        while (cursor.MoveNext())
        {
            if (!cursor.IsDeleted)
                read.Add($"{Encoding.UTF8.GetString(cursor.Current.StreamId)}{cursor.Current.Number}");
        }
        return read;
    }
}
