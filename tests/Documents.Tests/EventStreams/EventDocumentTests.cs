using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Documents.Watching;
using Jackdaw.Simulation.Merging;
using Xunit;

namespace Jackdaw.Documents.Tests.EventStreams;

/// <summary>Events as documents: docs/event-streams.md, "Events as documents".</summary>
public sealed class EventDocumentTests : IDisposable
{
    private static readonly string s_vectorEnd = "-" + Convert.ToBase64String(TestDatabase.DatabaseId.ToByteArray())[..22];

    private readonly TestDatabase _database = new();

    public void Dispose() => _database.Dispose();

    [Fact]
    public void An_event_is_a_document_with_all_that_it_has()
    {
        var at = new DateTime(2030, 1, 2, 3, 4, 5, DateTimeKind.Utc);
        Append(
            new ModelGroup(
                "account/1",
                3,
                null,
                "w1",
                false,
                [
                    new(
                        """{"deposited":10}""",
                        Serializer: -7,
                        Ticks: at.Ticks,
                        Manifest: "M",
                        AdapterManifest: "A",
                        Tags: ["red", "gr\"een"]
                    ),
                ]
            )
        );

        Assert.Equal(
            """{"stream":"account/1","number":3,"position":1,"ticks":"640291502450000000","writer":"w1","serializer":-7,"manifest":"M","""
                + """
                "adapterManifest":"A","tags":["red","gr\"een"],"payload":{"deposited":10},"@metadata":{"@collection":"@events",
                """.Trim()
                + "\"@change-vector\":\"A:1"
                + s_vectorEnd
                + "\",\"@id\":\"@events/1/00000000000000000003\",\"@last-modified\":\"2030-01-02T03:04:05.0000000Z\"}}",
            _database.Get("@events/1/00000000000000000003")
        );
    }

    [Fact]
    public void A_payload_that_is_no_json_comes_in_base64_and_one_that_is_stays_on_one_line()
    {
        Append(
            new ModelGroup(
                "a",
                1,
                null,
                "",
                false,
                [new(new string('x', 1400), IsJson: false), new("", IsJson: false), new("{\r\n\t\"n\" :\n1}")]
            )
        );

        Assert.Contains(
            $"\"payloadBase64\":\"{Convert.ToBase64String(Encoding.UTF8.GetBytes(new string('x', 1400)))}\"",
            _database.Get(Id(1, 1)),
            StringComparison.Ordinal
        );
        Assert.Contains("\"payloadBase64\":\"\"", _database.Get(Id(1, 2)), StringComparison.Ordinal);
        Assert.Contains("\"payload\":{   \"n\" : 1}", _database.Get(Id(1, 3)), StringComparison.Ordinal);
    }

    [Fact]
    public void Numbers_that_no_double_holds_are_texts()
    {
        Append(Group("a", (1L << 53) + 1, "1"), Group("b", 1L << 53, "1"), Group("c", long.MaxValue, "1"));

        Assert.Contains("\"number\":\"9007199254740993\"", _database.Get(Id(1, (1L << 53) + 1)), StringComparison.Ordinal);
        Assert.Contains("\"number\":9007199254740992,", _database.Get(Id(2, 1L << 53)), StringComparison.Ordinal);
        Assert.Contains("\"number\":\"9223372036854775807\"", _database.Get(Id(3, long.MaxValue)), StringComparison.Ordinal);
    }

    [Fact]
    public void A_time_beyond_all_dates_is_shown_as_the_last_one()
    {
        Append(new ModelGroup("a", 1, null, "", false, [new("1", Ticks: long.MaxValue)]));

        var shown = _database.Get(Id(1, 1));
        Assert.Contains("\"ticks\":\"9223372036854775807\"", shown, StringComparison.Ordinal);
        Assert.Contains("9999-12-31T23:59:59.9999999Z", shown, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("@events/1/1")]
    [InlineData("@events/01/00000000000000000001")]
    [InlineData("@events/1/000000000000000000001")]
    [InlineData("@events/1/00000000000000000002")]
    [InlineData("@events/2/00000000000000000001")]
    [InlineData("@events//00000000000000000001")]
    [InlineData("@events/1/0000000000000000000a")]
    [InlineData("@events/9223372036854775808/00000000000000000001")]
    [InlineData("@events/1/99999999999999999999")]
    [InlineData("@events/")]
    public void What_is_the_id_of_no_event_finds_none(string id)
    {
        Append(Group("a", 1, "1"));

        Assert.Null(_database.Get(id));
        Assert.NotNull(_database.Get("@EVENTS/1/00000000000000000001"));
    }

    [Fact]
    public void Events_are_no_documents_to_whoever_does_not_name_them()
    {
        _database.Do(TestDatabase.Put("users/1", """{"@metadata":{"@collection":"Users"}}"""));
        Append(Group("a", 1, "1", "2"));
        using var reader = _database.Read();

        Assert.Equal(1, reader.DocumentCount);
        Assert.Equal(1, reader.LastDocumentEtag);
        Assert.Equal(1, reader.LastChange());
        Assert.Equal(["Users"], reader.Collections().Select(collection => collection.Name));
        Assert.Equal(["users/1"], Ids(reader.ByEtag(0)));
        Assert.Equal(["users/1"], Ids(reader.NewestFirst()));
        Assert.Equal(["users/1"], Ids(reader.ByIdPrefix([], [])));
        Assert.Empty(Ids(reader.ByIdPrefix("@"u8, [])));
        Assert.Empty(Ids(reader.ByIdPrefix("@events"u8, [])));
        Assert.Equal(["+1 users/1"], Changes(reader.Changes(0)));
        Assert.Equal([Id(1, 1), Id(1, 2)], Ids(reader.ByEtag("@Events", 0)));
        Assert.Equal([Id(1, 1), Id(1, 2)], Ids(reader.ByIdPrefix("@Events/"u8, [])));
        Assert.Equal(2, reader.CountOf("@events"));
        Assert.Equal(3, reader.LastChange("@events"));
    }

    [Fact]
    public void Ids_come_in_the_order_of_their_texts_and_by_what_they_begin_with()
    {
        for (int stream = 1; stream <= 25; stream++)
            Append(Group($"s{stream}", 9, "1", "2"));
        using var reader = _database.Read();
        string[] all =
        [
            .. Enumerable.Range(1, 25).SelectMany(stream => new[] { Id(stream, 9), Id(stream, 10) }).Order(StringComparer.Ordinal),
        ];

        Assert.Equal(all, Ids(reader.ByIdPrefix("@events/"u8, [])));
        Assert.Equal(all.Reverse(), Ids(reader.ByIdPrefixDescending("@events/"u8, [])));
        foreach (
            string prefix in new[] { "@events/1", "@events/2", "@events/25", "@events/1/", "@events/1/0000000000000000001", "@events/26" }
        )
        {
            string[] expected = [.. all.Where(id => id.StartsWith(prefix, StringComparison.Ordinal))];
            Assert.Equal(expected, Ids(reader.ByIdPrefix(Encoding.UTF8.GetBytes(prefix), [])));
            Assert.Equal(expected.Reverse(), Ids(reader.ByIdPrefixDescending(Encoding.UTF8.GetBytes(prefix), [])));
            foreach (string start in all.Concat(["@events/1", "@events/2x", "a", "@", Id(1, 0), Id(25, long.MaxValue)]))
            {
                Assert.Equal(
                    expected.Where(id => string.CompareOrdinal(id, start) > 0),
                    Ids(reader.ByIdPrefix(Encoding.UTF8.GetBytes(prefix), Encoding.UTF8.GetBytes(start)))
                );
                Assert.Equal(
                    expected.Reverse().Where(id => string.CompareOrdinal(id, start) < 0),
                    Ids(reader.ByIdPrefixDescending(Encoding.UTF8.GetBytes(prefix), Encoding.UTF8.GetBytes(start)))
                );
            }
        }
    }

    [Fact]
    public void A_deletion_is_shown_to_consumers_event_by_event_each_with_an_etag_of_its_own()
    {
        Append(Group("a", 1, "1", "2"));
        Append(Group("b", 1, "1"));
        Append(Group("a", 5, "5", "6"));
        Delete("a", 5);
        Append(Group("b", 2, "2"));

        using var reader = _database.Read();
        string[] all =
        [
            $"+1 {Id(1, 1)}",
            $"+2 {Id(1, 2)}",
            $"+3 {Id(2, 1)}",
            $"+4 {Id(1, 5)}",
            $"+5 {Id(1, 6)}",
            // Numbers 3 and 4 have etags, and no events.
            $"-6 {Id(1, 1)} of 1",
            $"-7 {Id(1, 2)} of 2",
            $"-10 {Id(1, 5)} of 4",
            $"+11 {Id(2, 2)}",
        ];
        for (int after = 0; after <= 11; after++)
            Assert.Equal(
                all.Where(change => int.Parse(change.Split(' ')[0][1..], null) > after),
                Changes(reader.Changes(["@events"], after))
            );
        Assert.Equal(all.Where(change => change[0] == '+'), Changes(reader.Changes(["@events"], 0, ChangeKinds.Documents)));
        Assert.Equal(all.Where(change => change[0] == '-'), Changes(reader.Changes(["@EVENTS", "@events"], 0, ChangeKinds.Deletions)));
        Assert.Equal([Id(2, 1), Id(1, 6), Id(2, 2)], Ids(reader.ByEtag("@events", 0)));
        Assert.Equal(3, reader.CountOf("@events"));
    }

    [Fact]
    public void Deletions_of_numbers_far_apart_keep_their_etags_while_rows_are_removed()
    {
        const long far = 1L << 50;
        for (int i = 0; i < 4; i++)
            Append(Group("a", 1 + (i * far), "1"));
        Delete("a", 2 * far + 1);
        using (var reader = _database.Read())
            // Four rows were on disk, so the deletion took the etags 5 to 8; three of them are of events.
            Assert.Equal(
                [$"-6 {Id(1, 1)} of 1", $"-7 {Id(1, far + 1)} of 2", $"-8 {Id(1, (2 * far) + 1)} of 3"],
                Changes(reader.Changes(["@events"], 4))
            );
        _database.Do(new RemoveRow(1));
        using var later = _database.Read();
        Assert.Equal([$"-8 {Id(1, (2 * far) + 1)} of 3"], Changes(later.Changes(["@events"], 7)));
        Assert.Equal([$"-7 {Id(1, far + 1)} of 2", $"-8 {Id(1, (2 * far) + 1)} of 3"], Changes(later.Changes(["@events"], 4)));
    }

    [Fact]
    public void The_last_change_is_told_when_rows_and_deletion_are_gone()
    {
        Append(Group("a", 1, "1", "2"));
        Delete("a", 2);
        _database.Do(new CleanTombstonesOperation { UpToEtag = _database.Merger.LastDurableEtag });
        using var reader = _database.Read();

        Assert.Equal(4, reader.LastChange("@events"));
        Assert.Equal(0, reader.CountOf("@events"));
        Assert.Empty(Changes(reader.Changes(["@events"], 0)));
    }

    [Fact]
    public void Deleted_events_that_grew_too_old_go_and_what_a_consumer_missed_is_noted_with_the_first_row()
    {
        Append(Group("a", 1, [.. Enumerable.Repeat("1", Limits.EventsPerCleaning + 10)]));
        long last = _database.Writer.LastEtag;
        Delete("a", Limits.EventsPerCleaning + 5);
        var positions = new ConsumerPositions(_database.Clock);
        positions.Register("behind", 7, collection => collection == "@events");
        positions.Register("in the middle", last + 3, collection => collection == "@events");
        positions.Register("done", _database.Writer.LastEtag, collection => collection == "@events");
        positions.Register("of documents", 0, collection => collection != "@events");

        // Not old enough.
        Clean(_database.Clock.GetUtcNow().UtcTicks);
        Assert.Empty(Gaps());
        _database.Clock.Advance(TimeSpan.FromDays(1));
        long now = _database.Clock.GetUtcNow().UtcTicks;
        Clean(now);
        // Not all rows are gone, but those that are will never be read.
        Assert.Equal(
            [
                new DeletionGap("behind", 7, last + Limits.EventsPerCleaning + 5, 0, now) { Events = Limits.EventsPerCleaning },
                new DeletionGap("in the middle", last + 3, last + Limits.EventsPerCleaning + 5, 0, now)
                {
                    Events = Limits.EventsPerCleaning,
                },
            ],
            Gaps()
        );
        Clean(now);
        Assert.Equal([Limits.EventsPerCleaning + 5, Limits.EventsPerCleaning + 5], Gaps().Select(gap => (int)gap.Events));

        void Clean(long agedBeforeTicks) =>
            _database.Do(
                new CleanTombstonesOperation
                {
                    Consumers = positions.Places()!,
                    UpToEtag = _database.Merger.LastDurableEtag,
                    AgedBeforeTicks = agedBeforeTicks,
                }
            );
    }

    [Fact]
    public void Changes_that_wait_are_counted()
    {
        Append(Group("a", 1, [.. Enumerable.Repeat("1", 50)]));
        Delete("a", 20);
        using var reader = _database.Read();

        Assert.Equal(new CountedChanges(40, true), reader.CountDocuments("@events", 10, 100));
        Assert.Equal(new CountedChanges(15, true), reader.CountTombstones("@events", 55, 100));
        Assert.Equal(new CountedChanges(20, false), reader.CountTombstones("@events", 0, 5));
        Assert.Equal(new CountedChanges(0, true), reader.CountTombstones("@events", 70, 5));
    }

    [Fact]
    public void No_operation_on_documents_changes_an_event()
    {
        Append(Group("a", 1, "1"));
        string before = _database.Get(Id(1, 1))!;

        Refuses(TestDatabase.Put(Id(1, 1), "{}"));
        Refuses(TestDatabase.Put("@events/", "{}"));
        Refuses(TestDatabase.Put("@events|", "{}"));
        Refuses(TestDatabase.Put("users/1", """{"@metadata":{"@collection":"@EVENTS"}}"""));
        Refuses(TestDatabase.Delete(Id(1, 1)));
        Refuses(TestDatabase.Delete("@EVENTS/", prefix: true));
        // Begins no id of a document either, and is no id of an event.
        _database.Do(TestDatabase.Delete("@event", prefix: true));
        Assert.Equal(before, _database.Get(Id(1, 1)));
    }

    [Fact]
    public void A_batch_can_expect_an_event()
    {
        Append(Group("a", 1, "1"));
        var batch = BatchOperation.Rent();
        batch.AddTrackChanges().Add(Id(1, 1), "A:1" + s_vectorEnd);
        TestDatabase.AddPut(batch, "users/1", "{}", null);
        _database.Do(batch);
        Delete("a", 1);
        var late = BatchOperation.Rent();
        late.AddTrackChanges().Add(Id(1, 1), "A:1" + s_vectorEnd);

        Assert.Throws<ConcurrencyException>(() => _database.Do(late));
    }

    private IReadOnlyList<DeletionGap> Gaps()
    {
        using var reader = _database.Read();
        return reader.Gaps("");
    }

    private void Refuses(BatchOperation batch)
    {
        string message = Assert.Throws<EventsAreReadOnlyException>(() => _database.Do(batch)).Message;
        Assert.Contains("read-only", message, StringComparison.Ordinal);
        Assert.Contains("@events", message, StringComparison.OrdinalIgnoreCase);
    }

    private static string Id(long stream, long number) => $"@events/{stream}/{number:D20}";

    private static ModelGroup Group(string stream, long first, params string[] payloads) =>
        new(stream, first, null, "", false, [.. payloads.Select(payload => new ModelEvent(payload))]);

    private void Append(params ModelGroup[] groups)
    {
        var operation = SimulatedAppend.ToOperation(groups);
        _database.Do(operation);
        Assert.All(operation.Groups, group => Assert.Equal(AppendOutcome.Stored, group.Outcome));
    }

    private void Delete(string stream, long upTo) => _database.Do(new DeleteEventsOperation(Encoding.UTF8.GetBytes(stream), upTo));

    private static List<string> Ids(DocumentCursor cursor)
    {
        var ids = new List<string>();
        while (cursor.MoveNext())
        {
            if (!cursor.IsHidden)
                ids.Add(Encoding.UTF8.GetString(cursor.Current.Id));
        }
        return ids;
    }

    private static List<string> Changes(ChangeCursor cursor)
    {
        var changes = new List<string>();
        while (cursor.MoveNext())
        {
            var change = cursor.Current;
            changes.Add(
                change.IsTombstone
                    ? $"-{change.Etag} {Encoding.UTF8.GetString(change.Tombstone.Id)} of {change.Tombstone.DocumentEtag}"
                    : $"+{change.Etag} {Encoding.UTF8.GetString(change.Document.Id)}"
            );
        }
        return changes;
    }

    /// <summary>Removes the row of an event, as the cleaning does when it is interrupted.</summary>
    private sealed class RemoveRow(long etag) : Rooms.RoomOperation(EventsRoom.Instance)
    {
        public override long SizeBytes => 0;

        protected override void Execute(Rooms.RoomWriter writer)
        {
            byte[] key = new byte[Layout.Schema.EtagKeyBytes];
            Layout.Schema.WriteEtagKey(etag, key);
            Assert.True(EventTables.ToChange(writer).Rows.Delete(key));
        }
    }
}
