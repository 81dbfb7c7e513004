using Jackdaw.Documents.Errors;
using Jackdaw.Search;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Indexing.Processes;

/// <summary>The turns of an index: opening its folder, batches, and what becomes of their errors.</summary>
public sealed partial class Index
{
    /// <summary>Turns that may fail in a row, for no reason that is known to pass, before the index is put in error.</summary>
    private const int MaxFailedTurns = 5;

    private static readonly TimeSpan s_shortPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan s_retryPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestPause = TimeSpan.FromSeconds(30);

    private volatile string? _stopReason;
    private TimeSpan _retryPause = s_retryPause;
    private int _failedTurns;

    /// <summary>Documents are being read: what is damaged then is not the index's.</summary>
    private bool _readsDocuments;

    /// <summary>One turn, on a thread of <see cref="IndexTurns"/>. Throws nothing.</summary>
    private TurnRest RunTurn()
    {
        if (_isRetired)
            return TurnRest.Rest;
        _readsDocuments = false;
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
        catch (DiskException full)
        {
            return Stop("Batch", full.Message);
        }
        catch (StorageException damage) when (_readsDocuments)
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
        catch (LimitExceededException large) when (_mostBatchBytes > IndexingLimits.BatchMemoryStepBytes)
        {
            // A smaller batch fits into a transaction.
            _mostBatchBytes = Math.Max(IndexingLimits.BatchMemoryStepBytes, Math.Min(_mostBatchBytes, _lastBatchBytes) / 4);
            _errors.Add(null, "Batch", $"{large.Message} The index goes on with smaller batches.");
            return TurnRest.Again;
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
        if (WhyNotToGoOn(folder) is { } reason)
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

    /// <summary>Why what the folder holds is not of this database's history; null: it is. See docs/indexing.md, "When an index is built
    /// again".</summary>
    private string? WhyNotToGoOn(IndexFolder folder)
    {
        var progress = folder.Progress;
        if (progress.DatabaseId is not { } databaseId)
            return null;
        if (databaseId != _database.Id && !_database.Ancestors.Any(of => of.DatabaseId == databaseId && progress.Position <= of.ForkEtag))
            return "it was built from another database.";
        using var documents = _database.OpenRead("index start");
        long last = _collections.Length == 0 ? documents.LastEtag : LastChange(documents);
        return progress.Position > last
            ? $"it has seen changes up to etag {progress.Position}, and the documents have none above {last}: an older copy was restored."
            : WhyGapMatters(documents, progress.Position);
    }

    /// <summary>Deletions behind the position were forgotten before the index saw them.</summary>
    private string? WhyGapMatters(Documents.Reading.DocumentsReader documents, long position)
    {
        foreach (var gap in documents.Gaps(_record.Consumer))
        {
            if (gap.ToEtag > position)
                return $"{gap.Deletions} deletions between etags {gap.FromEtag} and {gap.ToEtag} were forgotten before it had seen them.";
        }
        return null;
    }

    /// <summary>On the journal's thread: what was committed is durable.</summary>
    private void NoteDurable(IndexFolder folder)
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
    private void NoteRolledBack(IndexFolder folder)
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
