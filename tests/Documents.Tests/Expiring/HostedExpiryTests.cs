using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Expiring;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Storage;
using Jackdaw.Tests;
using Xunit;

namespace Jackdaw.Documents.Tests.Expiring;

/// <summary>On the server's own threads.</summary>
public sealed class HostedExpiryTests : IAsyncLifetime
{
    private static readonly DueDocumentsSettings s_settings = new() { FrequencyInSec = 3600, MaxItemsToProcess = 5 };

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-expiry-").FullName;
    private readonly ManualClock _clock = new();
    private Databases _databases = null!;

    private DatabasesOptions Options =>
        new()
        {
            DataDir = Path.Combine(_folder, "data"),
            Clock = _clock,
            Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
        };

    public async Task InitializeAsync()
    {
        _databases = Databases.Open(Options);
        await _databases.CreateAsync("db", default);
    }

    public async Task DisposeAsync()
    {
        await _databases.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_pass_over_many_documents_goes_on_without_waiting_for_a_timer()
    {
        var database = _databases.Get("db");
        for (int i = 0; i < 20; i++)
        {
            var batch = BatchOperation.Rent();
            for (int j = 0; j < 1000; j++)
                TestDatabase.AddPut(batch, $"d/{i}/{j}", """{"@metadata":{"@expires":"2026-01-01"}}""");
            await database.SubmitAsync(batch);
            batch.Return();
        }
        await database.ConfigureDueDocumentsAsync(DocumentDateKind.Expires, new DueDocumentsSettings());
        // The clock stands still, so nothing that waits for a time comes about.
        await Eventually.IsAsync(() => database.Statistics().DocumentCount == 0);
        // The last part is counted after it has become durable.
        await Eventually.IsAsync(() => database.DueDocuments(DocumentDateKind.Expires).Done == 20_000);
        var statistics = database.DueDocuments(DocumentDateKind.Expires);
        Assert.Equal(
            (20_000, 0, null, 0, 1),
            (statistics.Done, statistics.Waiting, statistics.NextDue, statistics.Skipped, statistics.Passes)
        );
    }

    [Fact]
    public async Task A_write_with_a_date_that_has_passed_begins_a_pass_by_itself()
    {
        var database = _databases.Get("db");
        Assert.False(database.MayHaveDueDocuments(DocumentDateKind.Expires));
        await database.ConfigureDueDocumentsAsync(DocumentDateKind.Expires, new DueDocumentsSettings());
        Assert.True(database.MayHaveDueDocuments(DocumentDateKind.Expires));
        Assert.False(database.MayHaveDueDocuments(DocumentDateKind.Refresh));
        await database.SubmitAsync(TestDatabase.Put("a", """{"@metadata":{"@expires":"2026-01-01"}}"""));
        await Eventually.IsAsync(() => database.Statistics().DocumentCount == 0);
    }

    [Fact]
    public async Task Configuration_and_dates_outlive_the_process_compaction_and_copies()
    {
        var database = _databases.Get("db");
        await database.SubmitAsync(TestDatabase.Put("a", """{"@metadata":{"@expires":"2027-01-01","@refresh":"2028-01-01"}}"""));
        await database.ConfigureDueDocumentsAsync(DocumentDateKind.Expires, s_settings);
        await database.ConfigureDueDocumentsAsync(DocumentDateKind.Refresh, new DueDocumentsSettings { Disabled = true });
        string copy = Path.Combine(_folder, "copy");
        await _databases.CopyAsync("db", copy, (_, _) => { }, default);
        await _databases.DisposeAsync();
        var output = new StringWriter();
        DataFolderMaintenance.Compact(Options, output);
        Assert.True(DataFolderMaintenance.Check(Options, output), output.ToString());
        _databases = Databases.Open(Options);
        RequireAll(_databases.Get("db"));
        Assert.True(DataFolderMaintenance.Check(Options with { DataDir = copy }, output), output.ToString());
        await using var copies = Databases.Open(Options with { DataDir = copy });
        RequireAll(copies.Get("db"));
    }

    private static void RequireAll(Database database)
    {
        Assert.True(database.MayHaveDueDocuments(DocumentDateKind.Expires));
        Assert.Equal(s_settings, database.DueDocumentsSettings(DocumentDateKind.Expires));
        Assert.Equal(new DueDocumentsSettings { Disabled = true }, database.DueDocumentsSettings(DocumentDateKind.Refresh));
        var expiring = database.DueDocuments(DocumentDateKind.Expires);
        Assert.Equal((1, new DateTime(2027, 1, 1)), (expiring.Waiting, expiring.NextDue));
        var refreshing = database.DueDocuments(DocumentDateKind.Refresh);
        Assert.Equal((1, new DateTime(2028, 1, 1)), (refreshing.Waiting, refreshing.NextDue));
    }
}
