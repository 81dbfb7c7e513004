using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Orders;
using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Running;
using Jackdaw.Etl.Sinks;
using Jackdaw.Scripting;
using Jackdaw.Storage;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>A database in memory, a receiver, a clock that stands, and one task after another whose steps the test runs.</summary>
internal sealed class Scene : IAsyncDisposable
{
    private static readonly ScriptEngine s_engine = new();

    private readonly Databases _databases;
    private EtlTask? _task;

    private Scene(Databases databases)
    {
        _databases = databases;
        Database = databases.Get("shop");
    }

    public Database Database { get; }

    public Databases Databases => _databases;

    public ManualClock Clock { get; } = new(new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero));

    /// <summary>What the receiver has, in the order of receipt.</summary>
    public List<Received> Ledger { get; } = [];

    public List<string> Failpoints { get; } = [];

    /// <summary>Called at each failpoint.</summary>
    public Action<string>? AtFailpoint { get; set; }

    public EtlLimits Limits { get; set; } = EtlLimits.Default with { ScriptTime = TimeSpan.FromSeconds(20) };

    public EtlTask Task => _task!;

    /// <param name="folder">A data folder; null: in memory.</param>
    /// <param name="tombstoneCleaning">How often tombstones that nobody waits for are removed; null: as shipped.</param>
    public static async Task<Scene> OpenAsync(string? folder = null, TimeSpan? tombstoneCleaning = null)
    {
        var databases = Databases.Open(
            new DatabasesOptions
            {
                DataDir = folder ?? "unused",
                RunInMemory = folder is null,
                Rooms = [EventsRoom.Instance],
                TombstoneCleaningInterval = tombstoneCleaning ?? TimeSpan.FromMinutes(5),
                Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
            }
        );
        if (!databases.List().Any())
            await databases.CreateAsync("shop", "{}"u8.ToArray());
        return new Scene(databases);
    }

    public static EtlTaskConfiguration Configuration(params TransformConfiguration[] transforms) =>
        new()
        {
            Id = 7,
            Name = "Orders out",
            Transforms = transforms,
        };

    public static TransformConfiguration Transform(string script, string collection = "Orders") =>
        new()
        {
            Name = "All",
            Collections = [collection],
            Script = script,
        };

    /// <summary>A new task, as after a start of the server; the former, if any, is forgotten with what it had in memory.</summary>
    public async Task StartAsync(EtlTaskConfiguration configuration, ISink? sink = null, int seed = 0)
    {
        // As when a task takes the place of another one: between the two nobody takes away what it has yet to send.
        using var held = Database.Consumers.HoldCleaning();
        if (_task is { } former)
            await former.DisposeAsync();
        var options = new EtlOptions
        {
            Limits = Limits,
            Clock = Clock,
            Random = new Random(seed),
            PublicUrl = "https://shop.example",
            FailpointReached = Reach,
        };
        _task = new EtlTask(configuration, Database, s_engine, sink ?? new RecordingSink(Ledger), options);
    }

    /// <summary>A person sets the position of the task that runs: stored, and then told to it.</summary>
    public void SetPosition(string? transform, long etag)
    {
        OrderPosition(transform, etag);
        Task.Resume();
    }

    /// <summary>A person resumes the task that runs, and takes it over if it is fenced: stored, and then told to it.</summary>
    public void Resume()
    {
        new OrderStore(Database, 7).ResumeAsync(Task.IsBeingFenced).GetAwaiter().GetResult();
        Task.Resume();
    }

    /// <summary>A person has set a position, and the server died before the task was told.</summary>
    public void OrderPosition(string? transform, long etag) =>
        new OrderStore(Database, 7)
            .SetPositionAsync(new PositionOrder(transform, Database.Id, etag), takesOver: false)
            .GetAwaiter()
            .GetResult();

    /// <summary>A named step, on whatever thread.</summary>
    public void Reach(string name)
    {
        lock (Failpoints)
            Failpoints.Add(name);
        AtFailpoint?.Invoke(name);
    }

    /// <summary>Runs steps, moving the clock over pauses, until the task rests for good; fails when it does not.</summary>
    public void RunToRest(int atMost = 10_000)
    {
        for (int i = 0; i < atMost; i++)
        {
            var rest = Task.RunStep();
            // A task that rests may have something to do much later.
            if (rest == Timeout.InfiniteTimeSpan || (Task.State == EtlTaskState.Idle && rest >= TimeSpan.FromSeconds(30)))
                return;
            Clock.Advance(rest);
        }
        Assert.Fail($"The task does not come to rest: {Task.Status()}");
    }

    /// <summary>Starts a task, runs it to its rest, and gives back what was received.</summary>
    public async Task<string[]> SendAsync(string script, string collection = "Orders")
    {
        await StartAsync(Configuration(Transform(script, collection)));
        RunToRest();
        return Ledger.Select(received => received.ToString()).ToArray();
    }

    public async Task<string> PutAsync(string id, string json, string collection = "Orders")
    {
        var batch = BatchOperation.Rent();
        var put = batch.AddPut();
        put.SetId(id);
        string members = json.Trim()[1..^1].TrimEnd();
        string separator = members.Length > 0 ? "," : "";
        string metadata = collection == "@empty" ? "{}" : $"{{\"@collection\":\"{collection}\"}}";
        put.SetDocument(Encoding.UTF8.GetBytes($"{{{members}{separator}\"@metadata\":{metadata}}}"), Database.Limits);
        await Database.SubmitAsync(batch);
        string changeVector = Encoding.ASCII.GetString(put.ChangeVector);
        batch.Return();
        return changeVector;
    }

    /// <summary>Appends events of these payloads to a stream, from a number on.</summary>
    public async Task AppendAsync(string stream, long first, params string[] payloads)
    {
        var append = new AppendOperation(Database.Limits);
        var group = append.AddGroup();
        group.SetStream(Encoding.UTF8.GetBytes(stream));
        group.First = first;
        foreach (string payload in payloads)
            group.Add(new NewEvent { Payload = Encoding.UTF8.GetBytes(payload), IsJson = true });
        append.Complete();
        await Database.SubmitAsync(append);
        Assert.Equal(AppendOutcome.Stored, group.Outcome);
    }

    public async Task DeleteEventsAsync(string stream, long upTo) =>
        await Database.SubmitAsync(new DeleteEventsOperation(Encoding.UTF8.GetBytes(stream), upTo));

    public async Task DeleteAsync(string id)
    {
        var batch = BatchOperation.Rent();
        batch.AddDelete().SetId(id);
        await Database.SubmitAsync(batch);
        batch.Return();
    }

    /// <summary>The documents of dead letters, as JSON.</summary>
    public string[] DeadLetters()
    {
        var letters = new List<string>();
        using var reader = Database.OpenRead("test");
        var cursor = reader.ByEtag(DeadLetter.Collection, 0);
        while (cursor.MoveNext())
            letters.Add(Encoding.UTF8.GetString(cursor.Current.Body));
        return [.. letters];
    }

    /// <summary>Null when none is stored.</summary>
    public long? StoredPosition(string transform = "All")
    {
        using var reader = Database.OpenRead("test");
        return new PositionStore(Database, 7).Read(reader, transform)?.Etag;
    }

    public async ValueTask DisposeAsync()
    {
        if (_task is { } task)
            await task.DisposeAsync();
        await _databases.DisposeAsync();
    }
}
