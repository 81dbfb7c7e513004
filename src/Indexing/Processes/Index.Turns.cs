using Jackdaw.Documents.Errors;
using Jackdaw.Search;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Indexing.Processes;

/// <summary>The turns of an index: opening its folder, batches, and what becomes of their errors.</summary>
public sealed partial class Index
{
    /// <summary>Turns that may fail in a row, for no reason that is known to pass, before the index is put in error.</summary>
    private const int MaxFailedTurns = 5;

    private static readonly TimeSpan s_shortPause = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_retryPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestPause = TimeSpan.FromSeconds(30);

    private volatile string? _stopReason;
    private TimeSpan _retryPause = s_retryPause;
    private int _failedTurns;

    /// <summary>One turn, on a thread of <see cref="IndexTurns"/>. Throws nothing.</summary>
    private TurnRest RunTurn()
    {
        if (_isRetired)
            return TurnRest.Rest;
        _following.BeginTurn();
        try
        {
            if ((_folder ?? OpenFolder()) is not { } folder || !MayRun)
                return TurnRest.Rest;
            var rest = RunBatch(folder);
            // What was taken back while it was being noted is noted no more; whoever takes it back later says so afterwards.
            if (folder.Environment.Storage.Generation != folder.Generation)
                return ReadProgressAgain(folder);
            GoOn(folder);
            return rest;
        }
        catch (DatabaseUnavailableException)
        {
            NoteOpening(canOpen: _folder is not null);
            return TurnRest.Rest;
        }
        catch (RolledBackException)
        {
            return ReadProgressAgain(_folder);
        }
        catch (LimitExceededException large)
        {
            return _following.TryMakeSmaller(large) ? TurnRest.Again : FailTurn(large, null);
        }
        catch (DiskException full)
        {
            return Stop("Batch", full.Message);
        }
        catch (StorageException damage) when (_following.ReadsDocuments)
        {
            return Stop("Batch", $"The documents cannot be read: {damage.Message}");
        }
        catch (EnvironmentPoisonedException poisoned)
        {
            return FailTurn(poisoned, () => _owner.BeginReopen(this));
        }
        catch (Exception damage) when (damage is CorruptedDataException or UnsupportedFormatException or SearchFormatException)
        {
            _owner.BeginRebuild(this, $"its folder is damaged or of another version: {damage.Message}");
            return TurnRest.Rest;
        }
        catch (Exception unexpected)
        {
            return FailTurn(unexpected, null);
        }
    }

    /// <summary>The disk has refused a journal write: what was seen since the last one is read once more.</summary>
    private TurnRest ReadProgressAgain(IndexFolder? folder)
    {
        if (folder is null)
            return new TurnRest(s_retryPause);
        try
        {
            folder.ReadProgress();
            Interlocked.Exchange(ref _seenUpTo, folder.Progress.Position);
        }
        catch (StorageException unreadable)
        {
            return FailTurn(unreadable, () => _owner.BeginReopen(this));
        }
        string cause = folder.Environment.Storage.LastRollBack?.Cause.Message ?? "its journal could not be written.";
        return Stop(
            "Journal",
            $"{cause} What it had seen since its last journal write, up to etag {folder.Progress.Position}, is read again."
        );
    }

    /// <summary>Something outside of the index keeps it from going on. It says so once, and tries again.</summary>
    private TurnRest Stop(string action, string reason)
    {
        if (_stopReason is null)
        {
            _errors.Add(null, action, reason);
            _owner.Find(this, $"It has stopped, and goes on by itself when it can: {reason}");
        }
        _stopReason = reason;
        NoteOpening(canOpen: _folder is not null);
        var pause = _retryPause;
        _retryPause = pause * 2 < s_longestPause ? pause * 2 : s_longestPause;
        return new TurnRest(pause);
    }

    private void GoOn(IndexFolder folder)
    {
        _failedTurns = 0;
        // A disk that has refused a journal write takes them again when it has taken one.
        if (_stopReason is not null && folder.DurablePosition < folder.Progress.Position)
            return;
        _retryPause = s_retryPause;
        if (_stopReason is null)
            return;
        _stopReason = null;
        _owner.Find(this, "It goes on.");
    }

    private TurnRest FailTurn(Exception cause, Action? remedy)
    {
        _errors.Add(null, "Batch", cause.Message);
        NoteOpening(canOpen: _folder is not null);
        if (++_failedTurns < MaxFailedTurns)
        {
            remedy?.Invoke();
            return new TurnRest(s_retryPause);
        }
        _failedTurns = 0;
        _owner.BeginError(this, $"{MaxFailedTurns} batches in a row failed, the last with {cause.GetType().Name}: {cause.Message}");
        return TurnRest.Rest;
    }

    /// <summary>Opens the folder; null: the index must be built again, which is under way.</summary>
    private IndexFolder? OpenFolder()
    {
        var record = _record;
        var folder = IndexFolder.Open(_database, record, _processes.Options, NoteDurable, NoteRolledBack, _turn.Wake);
        string? reason;
        try
        {
            reason = _following.WhyNotToGoOn(folder.Progress, record.Consumer);
        }
        catch
        {
            // The documents cannot be read: the folder is opened again when the turn is tried again.
            folder.Environment.CloseAsync().GetAwaiter().GetResult();
            throw;
        }
        if (reason is not null)
        {
            folder.Environment.CloseAsync().GetAwaiter().GetResult();
            _owner.BeginRebuild(this, reason);
            return null;
        }
        lock (_lock)
        {
            _consumer.Etag = Math.Max(_consumer.Etag, folder.DurablePosition);
            _seenUpTo = folder.Progress.Position;
            _folder = folder;
        }
        NoteOpening(canOpen: true);
        return folder;
    }

    /// <summary>On the journal's thread: what was committed is durable.</summary>
    private void NoteDurable(IndexTrack folder)
    {
        lock (_lock)
        {
            // The consumer of another instance of the index is not to be moved by this one.
            if (folder != _folder)
                return;
            _consumer.Etag = Math.Max(_consumer.Etag, folder.DurablePosition);
        }
        _owner.NoteLowerBound(this, folder.DurablePosition);
        if (_stopReason is not null)
            _turn.WakeNow();
    }

    /// <summary>On the journal's thread: commits were taken back. Nobody is told that the index has seen what it has lost, and it reads
    /// that again although nothing new is written.</summary>
    private void NoteRolledBack(IndexTrack folder)
    {
        lock (_lock)
        {
            if (folder != _folder)
                return;
            Interlocked.Exchange(ref _seenUpTo, folder.DurablePosition);
        }
        _turn.Wake();
    }
}
