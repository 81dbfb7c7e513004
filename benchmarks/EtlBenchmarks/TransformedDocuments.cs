using System.Text;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Etl;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Running;
using Jackdaw.Scripting;
using Jackdaw.Storage;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>A task over a database in memory, without a thread of its own; the messages go nowhere.</summary>
internal sealed class TransformedDocuments(string name, string script, int documents) : Contender(name)
{
    public const string Whole = "jackdaw, whole documents";
    public const string Some = "jackdaw, some members";
    private const int DocumentsAPut = 500;

    private readonly ScriptEngine _engine = new();
    private Databases? _databases;
    private Database? _database;
    private TransformConfiguration? _transform;
    private long _tasks;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        _databases = Databases.Open(
            new DatabasesOptions
            {
                DataDir = "unused",
                RunInMemory = true,
                Storage = new EnvironmentOptions { MaxDataFileBytes = 4L << 30 },
            }
        );
        await _databases.CreateAsync("bench", "{}"u8.ToArray());
        _database = _databases.Get("bench");
        context.Progress($"loading {documents:N0} documents");
        var bodies = new DocumentBodies();
        for (int first = 0; first < documents; first += DocumentsAPut)
            await PutAsync(bodies, first, Math.Min(documents, first + DocumentsAPut));
        _transform = new TransformConfiguration
        {
            Name = "all",
            Collections = [DocumentBodies.Collection],
            Script = script,
        };
        await RunAsync(context, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        var configuration = new EtlTaskConfiguration
        {
            Id = ++_tasks,
            Name = $"bench {_tasks}",
            Transforms = [_transform!],
        };
        await using var task = new EtlTask(configuration, _database!, _engine, new SwallowingSink(), new EtlOptions());
        TimeSpan before = Environment.CpuUsage.TotalTime;
        while (task.RunStep() != Timeout.InfiniteTimeSpan)
            cancel.ThrowIfCancellationRequested();
        Sample sample = new Sample().With(Metric.PerCore, documents / (Environment.CpuUsage.TotalTime - before).TotalSeconds);
        EtlTaskStatus status = task.Status();
        if (status.Messages != documents || status.DeadLetters > 0)
            throw new IOException($"{documents} documents became {status.Messages} messages and {status.DeadLetters} dead letters");
        return sample;
    }

    public override async Task CloseAsync()
    {
        if (_databases is not null)
            await _databases.DisposeAsync();
        _engine.Dispose();
    }

    /// <summary>A document as it is stored: without its metadata.</summary>
    public static byte[] Body(DocumentBodies bodies, long number)
    {
        string text = Encoding.UTF8.GetString(bodies.Create(number));
        return Encoding.UTF8.GetBytes(text[..text.IndexOf(",\"@metadata\"", StringComparison.Ordinal)] + "}");
    }

    private async Task PutAsync(DocumentBodies bodies, int first, int end)
    {
        BatchOperation batch = BatchOperation.Rent();
        for (int i = first; i < end; i++)
        {
            PutCommand put = batch.AddPut();
            put.SetId($"items/{i}");
            put.SetDocument(bodies.Create(i), _database!.Limits);
        }
        await _database!.SubmitAsync(batch);
        batch.Return();
    }
}
