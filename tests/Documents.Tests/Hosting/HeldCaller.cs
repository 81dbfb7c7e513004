using Jackdaw.Storage.Disk;

namespace Jackdaw.Documents.Tests.Hosting;

/// <summary>Writes on a thread of its own, one write at a time, until it runs the merger's turn itself: that turn's journal write is
/// held up.</summary>
internal sealed class HeldCaller : IDisposable
{
    private readonly TaskCompletionSource _hasBegun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ManualResetEventSlim _mayGoOn = new();

    public HeldCaller(HostedDatabase database)
    {
        Task = Task.Factory.StartNew(
            () => WriteUntilHeld(database),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default
        );
    }

    /// <summary>Ends with the outcome of the write that was held up.</summary>
    public Task Task { get; }

    /// <summary>The journal write of a turn on the caller's thread has begun, and waits.</summary>
    public Task HasBegunAsync() => _hasBegun.Task.WaitAsync(Eventually.Patience);

    public void GoOn() => _mayGoOn.Set();

    public void Dispose() => GoOn();

    private void WriteUntilHeld(HostedDatabase database)
    {
        int caller = Environment.CurrentManagedThreadId;
        database.Disk.BeforeWrite = mode =>
        {
            if (mode != DiskFileMode.Direct || Environment.CurrentManagedThreadId != caller)
                return;
            _hasBegun.TrySetResult();
            _mayGoOn.Wait(Eventually.Patience);
        };
        for (int i = 0; !_hasBegun.Task.IsCompleted; i++)
            database.Host.Merger.Submit(TestDatabase.Put($"callers/{i}", "{}")).AsTask().GetAwaiter().GetResult();
    }
}
