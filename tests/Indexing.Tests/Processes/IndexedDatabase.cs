using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Registry;
using Jackdaw.Storage;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>A server's databases with indexes, one of them called <c>db</c>, in memory or in a folder.</summary>
internal sealed class IndexedDatabase : IAsyncDisposable
{
    private readonly bool _ownsProcesses;

    private IndexedDatabase(Databases databases, IndexProcesses processes, bool ownsProcesses)
    {
        Databases = databases;
        Processes = processes;
        _ownsProcesses = ownsProcesses;
    }

    public Databases Databases { get; }

    public IndexProcesses Processes { get; }

    public Database Database => Databases.Get("db");

    public DatabaseIndexes Indexes => Database.Attached<DatabaseIndexes>()!;

    /// <param name="options">How indexes run; null: as shipped, with recorded contents.</param>
    /// <param name="folder">Null: in memory.</param>
    /// <param name="change">Changes how the databases are opened.</param>
    public static async Task<IndexedDatabase> OpenAsync(
        IndexingOptions? options = null,
        string? folder = null,
        Func<DatabasesOptions, DatabasesOptions>? change = null,
        IndexProcesses? processes = null
    )
    {
        var own = processes ?? new IndexProcesses(options ?? Options());
        var databasesOptions = new DatabasesOptions
        {
            DataDir = folder ?? "",
            RunInMemory = folder is null,
            Rooms = [IndexesRoom.Instance, EventsRoom.Instance],
            Storage = new EnvironmentOptions { MaxDataFileBytes = 1L << 30 },
            Opened = database => database.Attach(DatabaseIndexes.Open(database, own)),
        };
        var databases = Databases.Open(change?.Invoke(databasesOptions) ?? databasesOptions);
        if (databases.Record("db") is null)
            await databases.CreateAsync("db", "{}"u8.ToArray());
        return new IndexedDatabase(databases, own, ownsProcesses: processes is null);
    }

    public static IndexingOptions Options() => new() { OpenContent = RecordedContent.Open, Threads = 3 };

    public static AutoIndexDefinition Over(string? collection, params string[] paths) =>
        new(collection, [.. paths.Order(StringComparer.Ordinal).Select(path => new AutoIndexField(path))]);

    public Task<Index> EnsureAsync(string? collection, params string[] paths) =>
        Indexes.EnsureAutomaticAsync(Over(collection, paths), CancellationToken.None);

    public async Task<long> PutAsync(string id, string collection, string members)
    {
        var batch = BatchOperation.Rent();
        var put = batch.AddPut();
        put.SetId(id);
        string comma = members.Length > 0 ? "," : "";
        put.SetDocument(
            Encoding.UTF8.GetBytes("{" + members + comma + "\"@metadata\":{\"@collection\":\"" + collection + "\"}}"),
            Limits.Default
        );
        await Database.SubmitAsync(batch);
        return put.Etag;
    }

    /// <summary>Appends events of these payloads, which are JSON, to a stream.</summary>
    public async Task AppendAsync(string stream, long first, params string[] payloads)
    {
        var append = new AppendOperation(Limits.Default);
        var group = append.AddGroup();
        group.SetStream(Encoding.UTF8.GetBytes(stream));
        group.First = first;
        foreach (string payload in payloads)
            group.Add(new NewEvent { Payload = Encoding.UTF8.GetBytes(payload), IsJson = true });
        append.Complete();
        await Database.SubmitAsync(append);
    }

    public async Task DeleteEventsAsync(string stream, long upTo) =>
        await Database.SubmitAsync(new DeleteEventsOperation(Encoding.UTF8.GetBytes(stream), upTo));

    /// <summary>Events on disk, deleted ones included.</summary>
    public long EventsOnDisk()
    {
        using var reader = Database.OpenRead("test");
        return reader.Collection(EventsRoom.Collection)!.DocumentCount;
    }

    public async Task DeleteAsync(string id)
    {
        var batch = BatchOperation.Rent();
        batch.AddDelete().SetId(id);
        await Database.SubmitAsync(batch);
    }

    /// <summary>Waits until the index has seen everything that is durable now.</summary>
    public async Task CatchUpAsync(Index index)
    {
        if (!await index.WaitForAsync(Database.LastDurableEtag, Eventually.Patience, CancellationToken.None))
            throw new TimeoutException(
                $"'{index.Name}' did not catch up: {index.Status}, {index.State}, {string.Join(" | ", index.Errors().Select(e => e.Message))}"
            );
    }

    /// <summary>What the index holds: values by source.</summary>
    public static SortedDictionary<string, string> Contents(Index index)
    {
        using var reading = index.OpenRead("test");
        return RecordedContent.Sources(reading.Content);
    }

    public async ValueTask DisposeAsync()
    {
        await Databases.DisposeAsync();
        if (_ownsProcesses)
            Processes.Dispose();
    }
}
