using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Expiring;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Documents.Writing;
using Xunit;

namespace Jackdaw.Documents.Tests.Expiring;

public sealed class DocumentExpirerTests : IDisposable
{
    private static readonly TimeSpan s_minute = TimeSpan.FromMinutes(1);

    private readonly TestDatabase _database = new();
    private readonly DocumentExpirer _expirer;
    private int _wakes;
    private long _orders;

    public DocumentExpirerTests()
    {
        _expirer = new DocumentExpirer(_database.Merger, _database.Writer.DueDates, _database.Storage, _database.Clock)
        {
            Woken = () => _wakes++,
        };
    }

    public void Dispose() => _database.Dispose();

    [Fact]
    public void A_document_goes_at_its_date_and_not_one_tick_before()
    {
        Enable();
        Put("a", expires: s_minute);
        Assert.Equal(s_minute, _expirer.NextStep());
        _database.Clock.Advance(s_minute - TimeSpan.FromTicks(1));
        Run();
        Assert.NotNull(_database.Get("a"));
        Assert.Equal(TimeSpan.FromTicks(1), _expirer.NextStep());
        _database.Clock.Advance(TimeSpan.FromTicks(1));
        Run();
        Assert.Null(_database.Get("a"));
        Assert.Equal(Timeout.InfiniteTimeSpan, _expirer.NextStep());
        Assert.Equal(1, _expirer.Pass(DocumentDateKind.Expires).Done);
        RequireSound();
    }

    [Fact]
    public void It_goes_as_a_deletion_that_leaves_a_tombstone_and_wakes_whoever_watches()
    {
        Enable();
        Put("a", expires: s_minute);
        int changes = _database.Changes;
        _database.Clock.Advance(s_minute);
        Run();
        Assert.Equal(changes + 1, _database.Changes);
        using var reader = _database.Read();
        Assert.True(reader.TryGetNewestTombstone("a", null, out var tombstone));
        Assert.Equal("Birds", Encoding.UTF8.GetString(tombstone.Collection));
        Assert.Equal(reader.LastEtag, tombstone.Etag);
    }

    [Fact]
    public void Where_nothing_is_due_there_is_no_time_to_wait_for()
    {
        Assert.Equal(Timeout.InfiniteTimeSpan, _expirer.NextStep());
        Enable();
        Run();
        Assert.Equal(Timeout.InfiniteTimeSpan, _expirer.NextStep());
        Put("a", expires: null);
        Assert.Equal(Timeout.InfiniteTimeSpan, _expirer.NextStep());
        Disable();
        Put("b", expires: s_minute);
        Assert.Equal(Timeout.InfiniteTimeSpan, _expirer.NextStep());
    }

    [Fact]
    public void An_earlier_date_wakes_the_expirer_and_a_later_one_does_not()
    {
        Enable();
        _wakes = 0;
        Put("a", expires: 3 * s_minute);
        Put("b", expires: 4 * s_minute);
        Put("c", expires: 3 * s_minute);
        Assert.Equal(1, _wakes);
        Put("d", expires: 2 * s_minute);
        Assert.Equal(2, _wakes);
        Assert.Equal(2 * s_minute, _expirer.NextStep());
    }

    [Fact]
    public void A_far_date_is_looked_at_again_on_the_way_because_the_clock_may_be_set()
    {
        Enable();
        Put("a", expires: TimeSpan.FromDays(1000));
        Assert.Equal(TimeSpan.FromHours(1), _expirer.NextStep());
    }

    [Fact]
    public void A_document_that_was_given_a_later_date_stays_until_then()
    {
        Enable();
        Put("a", expires: s_minute);
        Put("a", expires: 3 * s_minute);
        _database.Clock.Advance(2 * s_minute);
        Run();
        Assert.NotNull(_database.Get("a"));
        _database.Clock.Advance(s_minute);
        Run();
        Assert.Null(_database.Get("a"));
    }

    [Fact]
    public void What_is_written_before_the_pass_is_executed_decides()
    {
        Enable();
        Put("a", expires: s_minute);
        _database.Clock.Advance(s_minute);
        // Both wait for the merger, the write first.
        var write = _database.Merger.Submit(TestDatabase.Put("a", """{"@metadata":{"@collection":"Birds"}}""")).AsTask();
        _expirer.RunStep();
        _database.RunAll();
        Assert.True(write.IsCompletedSuccessfully);
        Run();
        Assert.NotNull(_database.Get("a"));
    }

    [Fact]
    public void A_pass_begins_no_sooner_than_the_interval_after_the_one_before()
    {
        Enable(new DueDocumentsSettings { FrequencyInSec = 100 });
        Put("a", expires: -s_minute);
        Run();
        Assert.Null(_database.Get("a"));
        Put("b", expires: -s_minute);
        Run();
        Assert.NotNull(_database.Get("b"));
        Assert.Equal(TimeSpan.FromSeconds(100), _expirer.NextStep());
        _database.Clock.Advance(TimeSpan.FromSeconds(100));
        Run();
        Assert.Null(_database.Get("b"));
    }

    [Fact]
    public void A_pass_takes_no_more_than_it_may_and_the_next_one_goes_on()
    {
        Enable(new DueDocumentsSettings { FrequencyInSec = 10, MaxItemsToProcess = 70 });
        for (int i = 0; i < 200; i++)
            Put($"d/{i}", expires: -s_minute);
        foreach (int left in (int[])[130, 60, 0, 0])
        {
            Run(operations: 20);
            Assert.Equal(left, Count());
            _database.Clock.Advance(TimeSpan.FromSeconds(10));
        }
    }

    [Fact]
    public void Many_documents_go_in_operations_of_bounded_size_which_are_smaller_and_pause_beside_writers()
    {
        for (int i = 0; i < 3000; i++)
            Put($"d/{i}", expires: s_minute);
        Enable();
        _database.Clock.Advance(2 * s_minute);
        Step();
        Assert.Equal(3000 - Limits.DueDocumentsPerOperation, Count());
        Put("x", expires: null);
        _expirer.RunStep();
        _database.Clock.Advance(TimeSpan.FromMilliseconds(7));
        _database.RunAll();
        Assert.Equal(3001 - Limits.DueDocumentsPerOperation - Limits.DueDocumentsPerSharedOperation, Count());
        _expirer.RunStep();
        Assert.Equal(TimeSpan.FromMilliseconds(7), _expirer.NextStep());
        _database.Clock.Advance(s_minute);
        Run(operations: 3);
        Assert.Equal(1, Count());
        RequireSound();
    }

    [Fact]
    public void Large_documents_end_an_operation_by_their_bytes()
    {
        string text = new('x', 400_000);
        for (int i = 0; i < 6; i++)
            _database.Do(TestDatabase.Put($"d/{i}", $$$"""{"text":"{{{text}}}","@metadata":{"@refresh":"2020-01-01"}}"""));
        Enable(kind: DocumentDateKind.Refresh);
        _database.Clock.Advance(2 * s_minute);
        Step();
        using (var reader = _database.Read())
            Assert.Equal(3, reader.CountOfDates(DocumentDateKind.Refresh));
        Run();
        using (var reader = _database.Read())
            Assert.Equal(0, reader.CountOfDates(DocumentDateKind.Refresh));
        Assert.Contains(text, _database.Get("d/5"), StringComparison.Ordinal);
        RequireSound();
    }

    [Fact]
    public void A_refresh_removes_its_date_and_changes_nothing_but_the_change_vector_and_the_time()
    {
        Enable(kind: DocumentDateKind.Refresh);
        _database.Do(
            TestDatabase.Put(
                "Birds/1",
                """{"large":9007199254740993.50,"text":"\u00e9","@metadata":{"@collection":"Birds","a":{"@refresh":1},"@refresh":"2026-11-21T08:58:49Z","\u0040refresh":"2026-11-21T08:58:49Z","@expires":"2030-01-01","z":[1, 2]}}"""
            )
        );
        string before = _database.Get("birds/1")!;
        _database.Clock.Advance(s_minute);
        Run();
        string after = _database.Get("birds/1")!;
        Assert.Equal(
            before
                .Replace("\"@refresh\":\"2026-11-21T08:58:49Z\",\"\\u0040refresh\":\"2026-11-21T08:58:49Z\",", "", StringComparison.Ordinal)
                .Replace("A:1-", "A:2-", StringComparison.Ordinal)
                .Replace("08:57:49", "08:58:49", StringComparison.Ordinal),
            after
        );
        using var reader = _database.Read();
        Assert.Equal((0, 1), (reader.CountOfDates(DocumentDateKind.Refresh), reader.CountOfDates(DocumentDateKind.Expires)));
        RequireSound();
    }

    [Fact]
    public void Both_dates_of_a_document_have_their_effect()
    {
        Enable();
        Enable(kind: DocumentDateKind.Refresh);
        Put("a", expires: 2 * s_minute, refresh: s_minute);
        _database.Clock.Advance(s_minute);
        Run();
        Assert.DoesNotContain("@refresh", _database.Get("a"), StringComparison.Ordinal);
        Assert.Contains("@expires", _database.Get("a"), StringComparison.Ordinal);
        _database.Clock.Advance(s_minute);
        Run();
        Assert.Null(_database.Get("a"));
        RequireSound();
    }

    [Fact]
    public void Once_it_is_stored_that_nothing_expires_an_operation_that_still_waits_does_nothing()
    {
        Enable();
        Put("a", expires: s_minute);
        _database.Clock.Advance(s_minute);
        var disabling = _database
            .Merger.Submit(new ConfigureDueDocumentsOperation(DocumentDateKind.Expires, new DueDocumentsSettings { Disabled = true }))
            .AsTask();
        _expirer.RunStep();
        _database.RunAll();
        Assert.True(disabling.IsCompletedSuccessfully);
        Assert.NotNull(_database.Get("a"));
    }

    [Fact]
    public void Dates_from_before_it_was_enabled_count()
    {
        Put("a", expires: -s_minute);
        Run();
        Assert.NotNull(_database.Get("a"));
        Enable();
        Run();
        Assert.Null(_database.Get("a"));
    }

    [Fact]
    public void A_new_expirer_knows_what_is_configured_and_due()
    {
        Enable(new DueDocumentsSettings { FrequencyInSec = 5, MaxItemsToProcess = 7 });
        Put("a", expires: s_minute);
        var again = new DocumentExpirer(_database.Merger, new DueDates(), _database.Storage, _database.Clock);
        Assert.Equal(new DueDocumentsSettings { FrequencyInSec = 5, MaxItemsToProcess = 7 }, again.Pass(DocumentDateKind.Expires).Settings);
        Assert.Null(again.Pass(DocumentDateKind.Refresh).Settings);
        Assert.Equal(s_minute, again.NextStep());
    }

    [Fact]
    public void Of_two_configurations_the_one_that_was_stored_later_counts_whichever_is_told_first()
    {
        var first = new ConfigureDueDocumentsOperation(DocumentDateKind.Expires, new DueDocumentsSettings());
        var second = new ConfigureDueDocumentsOperation(DocumentDateKind.Expires, new DueDocumentsSettings { Disabled = true });
        _database.Do(first);
        _database.Do(second);
        _expirer.Configure(DocumentDateKind.Expires, new DueDocumentsSettings { Disabled = true }, second.Order);
        _expirer.Configure(DocumentDateKind.Expires, new DueDocumentsSettings(), first.Order);
        Assert.True(_expirer.Pass(DocumentDateKind.Expires).Settings!.Disabled);
    }

    [Fact]
    public void When_a_transaction_is_dropped_that_had_expired_something_the_expirer_looks_again()
    {
        Enable();
        Put("a", expires: s_minute);
        _database.Clock.Advance(s_minute);
        _expirer.RunStep();
        // Refuses itself after a change: the others are executed again, and this time the expiring one meets a full disk's error.
        int executions = 0;
        _database.Writer.FaultPoint = () =>
        {
            if (++executions == 4)
                throw new InvalidDocumentException("planted");
        };
        _database.RunAll();
        _database.Writer.FaultPoint = null;
        _expirer.RunStep();
        Assert.NotNull(_database.Get("a"));
        _database.Clock.Advance(s_minute);
        Run();
        Assert.Null(_database.Get("a"));
    }

    [Fact]
    public void Whatever_is_refused_for_now_is_tried_again()
    {
        Enable();
        Put("a", expires: s_minute);
        _database.Clock.Advance(s_minute);
        bool isFirst = true;
        _database.Writer.FaultPoint = () =>
        {
            if (isFirst)
                throw new OutOfDiskException("test", new IOException("planted"));
        };
        Run();
        isFirst = false;
        Assert.NotNull(_database.Get("a"));
        Assert.Equal(TimeSpan.FromSeconds(10), _expirer.NextStep());
        _database.Clock.Advance(TimeSpan.FromSeconds(10));
        Run();
        Assert.Null(_database.Get("a"));
    }

    [Fact]
    public void A_poisoned_database_is_left_alone()
    {
        Enable();
        Put("a", expires: s_minute);
        _database.Storage.PoisonBy(new IOException("planted"));
        _database.Clock.Advance(s_minute);
        Run();
        Assert.Equal(Timeout.InfiniteTimeSpan, _expirer.NextStep());
        Assert.NotNull(_database.Get("a"));
    }

    private void Enable(DueDocumentsSettings? settings = null, DocumentDateKind kind = DocumentDateKind.Expires) =>
        Configure(kind, settings ?? new DueDocumentsSettings());

    private void Disable() => Configure(DocumentDateKind.Expires, new DueDocumentsSettings { Disabled = true });

    private void Configure(DocumentDateKind kind, DueDocumentsSettings settings)
    {
        var operation = new ConfigureDueDocumentsOperation(kind, settings) { IsBackground = true };
        _database.Do(operation);
        Assert.True(operation.Order > _orders);
        _orders = operation.Order;
        _expirer.Configure(kind, settings, operation.Order);
    }

    private void Put(string id, TimeSpan? expires, TimeSpan? refresh = null)
    {
        var now = _database.Clock.GetUtcNow();
        string metadata = "\"@collection\":\"Birds\"";
        if (expires is { } toExpiry)
            metadata += $",\"@expires\":\"{ProtocolDate.ToText((now + toExpiry).UtcTicks, withZ: true)}\"";
        if (refresh is { } toRefresh)
            metadata += $",\"@refresh\":\"{ProtocolDate.ToText((now + toRefresh).UtcTicks, withZ: true)}\"";
        _database.Do(TestDatabase.Put(id, $$$"""{"@metadata":{{{{metadata}}}}}"""));
    }

    /// <summary>One operation, from its submission to its end.</summary>
    private void Step()
    {
        _expirer.RunStep();
        _database.RunAll();
    }

    private void Run(int operations = 5)
    {
        for (int i = 0; i <= operations; i++)
            Step();
    }

    private long Count()
    {
        using var reader = _database.Read();
        return reader.DocumentCount;
    }

    private void RequireSound() => Assert.Empty(DocumentsCheck.Run(_database.Storage));
}
