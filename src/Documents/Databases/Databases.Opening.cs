using System.Collections.Concurrent;

namespace Jackdaw.Documents;

/// <summary>Opening many databases: several at a time at start, and at once whichever is asked for.</summary>
public sealed partial class Databases
{
    /// <summary>Opening waits for the disk more than for a processor.</summary>
    private static readonly int s_openedAtOnce = Math.Clamp(2 * Environment.ProcessorCount, 4, 16);

    private readonly SemaphoreSlim _openedOnDemand = new(s_openedAtOnce);
    private int _toOpen;
    private volatile bool _isEnding;

    /// <summary>Completes when each database that was enabled at start has been opened and recovered once, or could not be
    /// (<see cref="LoadFailure"/>).</summary>
    public Task AllOpened { get; private set; } = Task.CompletedTask;

    /// <summary>Databases that are still to be opened for the first time since the start.</summary>
    public int ToOpen => Volatile.Read(ref _toOpen);

    /// <summary>False while <see cref="Get(ReadOnlySpan{char})"/> would have to open the database: await <see cref="OpenAsync"/>
    /// first. True also where there is nothing to open.</summary>
    public bool IsOpenOrCannotBe(ReadOnlySpan<char> name) => !_entriesBySpan.TryGetValue(name, out var entry) || !AwaitsOpening(entry);

    /// <summary>Opens a database that is not open yet, ahead of those that nobody has asked for. Throws nothing where it cannot be
    /// opened, is disabled or does not exist: <see cref="Get(string)"/> says so.</summary>
    public async Task OpenAsync(string name)
    {
        if (!_entries.TryGetValue(name, out var entry) || !AwaitsOpening(entry))
            return;
        await entry.Gate.WaitAsync().ConfigureAwait(false);
        try
        {
            if (!AwaitsOpening(entry))
                return;
            await _openedOnDemand.WaitAsync().ConfigureAwait(false);
            try
            {
                // It blocks on the disk: a thread of its own.
                await Task
                    .Factory.StartNew(
                        () => OpenFirst(entry),
                        CancellationToken.None,
                        TaskCreationOptions.LongRunning,
                        TaskScheduler.Default
                    )
                    .ConfigureAwait(false);
            }
            finally
            {
                _openedOnDemand.Release();
            }
        }
        finally
        {
            entry.Gate.Release();
        }
    }

    /// <summary>It exists, is enabled, and has neither been opened nor failed to be. Stays false once it is.</summary>
    private bool AwaitsOpening(DatabaseEntry entry) =>
        entry.Open is null
        && entry.LoadFailure is null
        && !_isEnding
        && entry.Record is { State: DatabaseState.Ready, Disabled: false }
        // In this order: opened, or failed, in between.
        && entry.Open is null
        && entry.LoadFailure is null;

    private void BeginOpening(List<DatabaseEntry> entries)
    {
        _toOpen = entries.Count;
        var waiting = new ConcurrentQueue<DatabaseEntry>(entries);
        int threads = Math.Min(s_openedAtOnce, entries.Count);
        AllOpened = Task.WhenAll(
            Enumerable
                .Range(0, threads)
                .Select(_ =>
                    Task.Factory.StartNew(
                        () => OpenEach(waiting),
                        CancellationToken.None,
                        TaskCreationOptions.LongRunning,
                        TaskScheduler.Default
                    )
                )
        );
    }

    private void OpenEach(ConcurrentQueue<DatabaseEntry> waiting)
    {
        Thread.CurrentThread.Name = "opening";
        while (!_isEnding && waiting.TryDequeue(out var entry))
        {
            OpenNow(entry);
            Interlocked.Decrement(ref _toOpen);
        }
    }

    /// <summary>On this thread; waits for whoever has the database in hand. Null: it is not open afterwards.</summary>
    private Database? OpenNow(DatabaseEntry entry)
    {
        if (!AwaitsOpening(entry))
            return entry.Open;
        entry.Gate.Wait();
        try
        {
            if (AwaitsOpening(entry))
                OpenFirst(entry);
            return entry.Open;
        }
        finally
        {
            entry.Gate.Release();
        }
    }

    /// <summary>Under the gate.</summary>
    private void OpenFirst(DatabaseEntry entry)
    {
        TryOpen(entry);
        if (entry.LoadFailure is { } failure)
            _startFindings.Enqueue($"Database '{entry.Record.Name}' cannot be opened: {failure.Message}");
    }
}
