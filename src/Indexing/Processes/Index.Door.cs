using Jackdaw.Indexing.Definitions;

namespace Jackdaw.Indexing.Processes;

/// <summary>The way to the folder: a reader waits, without a thread, while it opens or another one takes its place.</summary>
public sealed partial class Index
{
    /// <summary>A database that has just been opened opens its indexes meanwhile.</summary>
    private static readonly TimeSpan s_openingTime = TimeSpan.FromSeconds(30);

    /// <summary>Ends when the folder was opened or left, when it could not be opened, and when the state has changed; then another one
    /// stands here.</summary>
    private volatile TaskCompletionSource _doorMoved = NewSignal();

    /// <summary>The last attempt to open the folder has failed; the next one comes by itself.</summary>
    private volatile bool _cannotOpen;

    /// <summary>
    /// Opens a reader at the newest commit; counts as a use by a query. Waits for the index's folder while it is being opened, 30
    /// seconds at most. Errors: <see cref="IndexUnavailableException"/> while the index is disabled, in error or gone, or when its folder
    /// cannot be opened, <see cref="Documents.Database.Unavailable"/> while its database closes, and
    /// <see cref="OperationCanceledException"/>.
    /// </summary>
    /// <param name="purpose">Names the reader in statistics.</param>
    /// <param name="cancellation">Ends the wait.</param>
    public ValueTask<IndexReading> OpenReadAsync(string purpose, CancellationToken cancellation)
    {
        NoteUsed();
        Interlocked.Exchange(ref _lastQueriedTicks, _processes.Options.Clock.GetUtcNow().UtcTicks);
        return TryOpen(purpose, evenStopped: false, out var reading, out var moved)
            ? new ValueTask<IndexReading>(reading ?? throw Unavailable())
            : WaitAndRequireAsync(purpose, moved, cancellation);
    }

    private async ValueTask<IndexReading> WaitAndRequireAsync(string purpose, Task moved, CancellationToken cancellation) =>
        await WaitAndOpenAsync(purpose, evenStopped: false, moved, cancellation).ConfigureAwait(false) ?? throw Unavailable();

    /// <summary>For what is told about the index: also of one that is disabled or in error. Null: there is nothing to read.</summary>
    private ValueTask<IndexReading?> TryOpenReadingAsync(string purpose, CancellationToken cancellation) =>
        TryOpen(purpose, evenStopped: true, out var reading, out var moved)
            ? new ValueTask<IndexReading?>(reading)
            : WaitAndOpenAsync(purpose, evenStopped: true, moved, cancellation);

    private async ValueTask<IndexReading?> WaitAndOpenAsync(string purpose, bool evenStopped, Task moved, CancellationToken cancellation)
    {
        var clock = _processes.Options.Clock;
        long started = clock.GetTimestamp();
        // An idle index that was built again has not been opened since.
        _turn.Wake();
        while (true)
        {
            var left = s_openingTime - clock.GetElapsedTime(started);
            if (left <= TimeSpan.Zero)
                return null;
            try
            {
                await moved.WaitAsync(left, clock, cancellation).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                return null;
            }
            if (TryOpen(purpose, evenStopped, out var reading, out moved))
                return reading;
        }
    }

    /// <summary>Opens a reader where there is a folder. Returns false when one is on its way.</summary>
    /// <param name="purpose">Names the reader in statistics.</param>
    /// <param name="evenStopped">Also while queries of it are refused: it is disabled or in error.</param>
    /// <param name="reading">Null: there is nothing to read.</param>
    /// <param name="moved">Ends when it is worth trying again.</param>
    private bool TryOpen(string purpose, bool evenStopped, out IndexReading? reading, out Task moved)
    {
        reading = null;
        // Before anything is looked at: what changes from here on ends it.
        moved = _doorMoved.Task;
        bool isStopped = _record.State is IndexState.Disabled or IndexState.Error;
        if (_isRetired || (isStopped && !evenStopped))
            return true;
        if (_folder is not { } folder)
            return _cannotOpen;
        // One that closes was left before, or is about to be.
        if (!folder.Environment.TryUse())
            return false;
        try
        {
            reading = new IndexReading(this, folder, purpose);
            return true;
        }
        catch
        {
            folder.Environment.EndUse();
            throw;
        }
    }

    /// <summary>Keeps a folder that is in use; the use ends with the lease.</summary>
    internal IndexLease Lease(IndexFolder folder) => new(this, folder, _database.Closing);

    private void NoteOpening(bool canOpen)
    {
        _cannotOpen = !canOpen;
        TellDoor();
    }

    private void TellDoor() => Interlocked.Exchange(ref _doorMoved, NewSignal()).TrySetResult();

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
