using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.StorageBenchmarks;

/// <summary>A contender that is this project's engine in this process.</summary>
internal abstract class StoreContender(string name, StoreOptions options) : Contender(name)
{
    public const string Jackdaw = "jackdaw";
    private const int LoadBatch = 700;
    private EngineStore? _store;

    protected EngineStore Store => _store ?? throw new InvalidOperationException("the store was not opened");

    protected static string DataDirectory(RunContext context) => Path.Combine(context.Directory, "data");

    /// <summary>Opens a new, empty store, in place of the one that was open.</summary>
    protected async Task OpenNewAsync(RunContext context)
    {
        await CloseAsync();
        Workspace.Remove(DataDirectory(context));
        _store = EngineStore.Open(DataDirectory(context), options);
    }

    /// <summary>Opens the store again that was closed.</summary>
    protected async Task ReopenAsync(RunContext context)
    {
        await CloseAsync();
        _store = EngineStore.Open(DataDirectory(context), options);
    }

    /// <summary>Loads documents number 0 to <paramref name="count"/> - 1 and waits until they are flushed.</summary>
    protected async Task LoadAsync(RunContext context, long count, CancellationToken cancel)
    {
        await PutAllAsync(context, "loading", count, cancel);
        await Store.SettleAsync(cleanTombstones: false, cancel);
        if (Store.Count != count)
            throw new IOException($"{count} documents were loaded and {Store.Count} are there");
    }

    /// <summary>Puts documents number 0 to <paramref name="count"/> - 1, several operations at once.</summary>
    protected async Task PutAllAsync(RunContext context, string doing, long count, CancellationToken cancel)
    {
        const int OperationsAtOnce = 4;
        var bodies = new DocumentBodies();
        List<Task> running = [];
        for (long first = 0; first < count; first += LoadBatch)
        {
            cancel.ThrowIfCancellationRequested();
            if (first / LoadBatch % 100 == 0)
                context.Progress($"{doing} {first:N0} of {count:N0}");
            int size = (int)Math.Min(LoadBatch, count - first);
            long start = first;
            running.Add(
                Store.PutManyAsync([
                    .. Enumerable.Range(0, size).Select(i => KeyValuePair.Create(DocumentIds.Of(start + i), bodies.Create(start + i))),
                ])
            );
            if (running.Count < OperationsAtOnce)
                continue;
            await Task.WhenAll(running);
            running.Clear();
        }
        await Task.WhenAll(running);
    }

    public override async Task CloseAsync()
    {
        if (_store is not null)
            await _store.DisposeAsync();
        _store = null;
    }
}
