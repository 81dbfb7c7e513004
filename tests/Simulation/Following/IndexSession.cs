using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Indexing;
using Jackdaw.Indexing.Contents;
using Jackdaw.Indexing.Processes;
using Jackdaw.Simulation.Medium;
using Jackdaw.Simulation.Merging;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Simulation.Following;

/// <summary>One opening of the database as its index sees it: the index opens, follows, is read and made durable, in the order that chance
/// dictates.</summary>
internal sealed class IndexSession : ISessionCompanion
{
    private readonly SimulatedIndex _index;
    private readonly SimulatedIndex _fresh;
    private readonly MergerHistory _history;
    private readonly SimulatedRandom _random;
    private readonly SimulatedDisk _disk;
    private readonly StorageEnvironment _documents;
    private readonly ConsumerPosition _consumer;
    private readonly IndexFollowing _following;
    private readonly FollowedDocuments _followed;
    private readonly IndexMemory _ample = new(MemoryAllowance.Unlimited);

    /// <summary>A batch ends after its first document.</summary>
    private readonly IndexMemory _scarce = new(new MemoryAllowance(1 << 20));
    private StorageEnvironment? _storage;
    private IndexTrack? _track;

    /// <summary>The documents as of the reader that was opened last.</summary>
    private DatabaseState _state = DatabaseState.Empty;

    /// <param name="history">Whose disk and chance it is.</param>
    /// <param name="index">The index.</param>
    /// <param name="fresh">The same index without a mistake: what it is compared with.</param>
    /// <param name="session">The database.</param>
    public IndexSession(MergerHistory history, SimulatedIndex index, SimulatedIndex fresh, AccompaniedSession session)
    {
        _history = history;
        _index = index;
        _fresh = fresh;
        _random = history.Random;
        _disk = history.Disk;
        _documents = session.Documents;
        _consumer = session.Positions.Register(index.Consumer, index.LowerBound, index.Wants);
        _followed = new FollowedDocuments(MergerHistory.DatabaseId, [], OpenDocuments, session.LastDurableEtag);
        _following = index.Follow(_followed);
    }

    /// <summary>What it follows for.</summary>
    public SimulatedIndex Index => _index;

    /// <summary>Its last batch met the end of changes.</summary>
    public bool HasCaughtUp { get; private set; }

    /// <summary>How far it is, visibly; 0 while it is not open.</summary>
    public long Position => _track?.Progress.Position ?? 0;

    /// <summary>How far it is durably; 0 while it is not open.</summary>
    public long DurablePosition => _track?.DurablePosition ?? 0;

    public IReadOnlyList<(string Name, Action Step)> Steps =>
        [
            ("index batch", () => Try(() => Follow(_random.Next(6)))),
            ("index journal", () => Try(() => Journal(force: _random.Coin()))),
            ("index flush", () => Try(() => Repeat(6, () => _storage!.RunFlushStep(force: _random.Coin())))),
            ("index sync", () => Try(() => Repeat(4, () => _storage!.RunSyncStep(force: _random.Coin())))),
            ("index spare", () => Try(() => Repeat(4, () => _storage!.RunSpareStep()))),
            ("index bound", () => _index.LowerBound = Math.Max(_index.LowerBound, _index.DurablePosition)),
            ("index read", () => Try(Read)),
            ("index compare", () => Try(CatchUpAndCompare)),
        ];

    /// <summary>Reads everything that there is, and compares with the model and with a fresh build.</summary>
    public void CatchUpAndCompare()
    {
        FollowToTheEnd(_track!, _following);
        using var disk = new MemoryDisk();
        using var storage = StorageEnvironment.Open(
            disk,
            _history.Settings.Options with
            {
                Name = "fresh",
                Durability = Durability.Lazy,
                MaxScratchBytes = 64 << 20,
            }
        );
        var content = SearchContent.Open(storage, _index.InstanceId);
        FollowToTheEnd(
            new IndexTrack(storage, content, _index.InstanceId, _ => { }, _ => { }, PlantedIndexFault.None),
            _fresh.Follow(_followed)
        );
        using var index = _track!.Content.OpenRead("comparison");
        using var fresh = content.OpenRead("comparison");
        using (OpenDocuments("comparison"))
            _index.RequireTrue(index, _state);
        IndexContents.RequireEqual(index.Search, fresh.Search);
        _history.Counts.IndexesCompared++;
    }

    /// <summary>Everything ends in order, and all of it is durable.</summary>
    public void CloseInOrder()
    {
        if (_storage is not { } storage)
            return;
        _storage = null;
        try
        {
            storage.CloseCleanly();
            _track?.NoteDurable();
        }
        catch (StorageException error) when (_index.IsTheDisks(error))
        {
            // It is recovered when it is opened.
            _history.Counts.Refusals++;
        }
        _track = null;
    }

    public void Dispose()
    {
        _storage?.Dispose();
        _storage = null;
        _track = null;
    }

    /// <summary>As the journal's thread does for somebody who waits.</summary>
    public void MakeDurable() => Journal(force: true);

    /// <summary>The index is no more: it holds no deletions back.</summary>
    public void Forget() => _consumer.Dispose();

    /// <summary>Opens the index first where it is not open. What a disk that fails does to it is no more than what is allowed.</summary>
    public void Try(Action step)
    {
        _following.BeginTurn();
        try
        {
            if (_track is null)
                Open();
            step();
        }
        catch (RolledBackException rolledBack) when (_index.IsTheDisks(rolledBack))
        {
            _history.Counts.RollBacks++;
            if (_track is { } track)
                Try(track.ReadProgress);
            else
                Abandon();
        }
        catch (DiskException refused) when (_index.IsTheDisks(refused))
        {
            _history.Counts.Refusals++;
            if (_track is null)
                Abandon();
        }
        catch (EnvironmentPoisonedException poisoned) when (_index.IsTheDisks(poisoned))
        {
            _history.Counts.Poisonings++;
        }
        catch (CorruptedDataException damage) when (_following.ReadsDocuments && _history.IsTheDisks(damage))
        {
            _history.Counts.Damaged++;
            if (_track is null)
                Abandon();
        }
        // Closed and opened anew, as the index's owner does.
        if (_storage?.Poison is { } poison)
        {
            OracleException.Require(_index.IsTheDisks(poison), $"the index was poisoned without cause: {poison.Message}");
            Abandon();
        }
    }

    private void Open()
    {
        _storage = _index.Open(_disk);
        var content = SearchContent.Open(_storage, _index.InstanceId);
        // What was made just now is never rolled back: the content may keep in memory what it has on the disk.
        var generation = _storage.Generation;
        while (_storage.DurableTransactionId < _storage.VisibleTransactionId)
        {
            if (_storage.Generation != generation)
                throw new RolledBackException(_storage.Name, _storage.LastRollBack!.To, _storage.LastRollBack.Cause);
            _storage.RunJournalStep(force: true);
        }
        var track = new IndexTrack(
            _storage,
            new OvertakenContent(content, RunOthers),
            _index.InstanceId,
            NoteDurable,
            _ => { },
            _index.Planted
        );
        OracleException.Require(
            track.DurablePosition >= _index.DurablePosition,
            $"the index was durable up to {_index.DurablePosition}, and is opened at {track.DurablePosition}"
        );
        OracleException.Require(
            track.DurablePosition >= _index.LivesFrom,
            $"the index has taken the place of others at {_index.LivesFrom}, and is opened at {track.DurablePosition}"
        );
        OracleException.Require(
            _following.WhyNotToGoOn(track.Progress, _index.Consumer) is null,
            $"the index must be built again: {_following.WhyNotToGoOn(track.Progress, _index.Consumer)}"
        );
        _track = track;
        NoteDurable(track);
    }

    private void Abandon()
    {
        HasCaughtUp = false;
        _track = null;
        _storage?.Dispose();
        _storage = null;
    }

    private void NoteDurable(IndexTrack track)
    {
        _index.BecomeDurable(track.DurablePosition);
        _consumer.Etag = Math.Max(_consumer.Etag, track.DurablePosition);
    }

    private void Follow(int smallBatches)
    {
        if (_storage!.ScratchPressure >= 1)
            Repeat(6, () => _storage.RunFlushStep(force: true));
        for (var i = smallBatches; i > 0; i--)
        {
            if (RunBatch(_track!, _following, _scarce).IsAtEnd)
                return;
        }
        if (smallBatches == 0)
            RunBatch(_track!, _following, _ample);
    }

    private void FollowToTheEnd(IndexTrack track, IndexFollowing following)
    {
        while (!RunBatch(track, following, _ample).IsAtEnd) { }
    }

    private FollowedBatch RunBatch(IndexTrack track, IndexFollowing following, IndexMemory memory)
    {
        using var share = memory.Begin();
        var batch = following.Run(track, _index.Consumer, share);
        OracleException.Require(batch.RebuildReason is null, $"the index must be built again: {batch.RebuildReason}");
        if (track == _track)
            HasCaughtUp = batch.IsAtEnd;
        if (batch.Committed is { } committed && track == _track)
        {
            _history.Counts.Commits++;
            if (_index.Planted == PlantedIndexFault.HoldVisiblePosition)
                _consumer.Etag = committed.Position;
        }
        return batch;
    }

    /// <summary>The journal's and the flush's threads, while a batch is about to be applied.</summary>
    private void RunOthers()
    {
        if (_random.OneIn(4))
            Journal(force: true);
        if (_random.OneIn(8))
            Repeat(4, () => _storage!.RunFlushStep(force: true));
    }

    private void Journal(bool force)
    {
        Repeat(3, () => _storage!.RunJournalStep(force));
        _track?.NoteDurable();
    }

    /// <summary>The index before the documents, as every query does.</summary>
    private void Read()
    {
        using var index = _track!.Content.OpenRead("simulated query");
        var (seen, told) = (IndexProgress.Read(index), _track.ProgressSeenBy(index, _storage!.Generation));
        OracleException.Require(
            seen.Position == told.Position && seen.AtTicks == told.AtTicks,
            $"a reader of commit {index.TransactionId} sees the index at {seen.Position}, and is told {told.Position}"
        );
        using var documents = OpenDocuments("simulated query");
        _index.RequireTrue(index, _state);
        _history.Counts.ReadersVerified++;
    }

    private DocumentsReader OpenDocuments(string purpose)
    {
        var transaction = _documents.BeginRead(purpose);
        try
        {
            var reader = new DocumentsReader(transaction, null, present: MergerSession.EventsOf);
            _history.Ledger.Promise(transaction.Id);
            _state = _history.Ledger.StateOf(transaction.Id);
            return reader;
        }
        catch
        {
            transaction.Dispose();
            throw;
        }
    }

    private void Repeat(int most, Func<bool> step)
    {
        for (var i = _random.Next(most); i >= 0 && step(); i--) { }
    }
}
