using Jackdaw.Indexing.Contents;
using Jackdaw.Storage;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Indexing.Processes;

/// <summary>An index's environment while it is open: its content, and how far that is, visibly and durably.</summary>
internal class IndexTrack
{
    private readonly Lock _lock = new();
    private readonly Queue<(PendingCommit Commit, long Position)> _commits = new();
    private readonly Action<IndexTrack> _durable;
    private readonly Action<IndexTrack> _rolledBack;
    private readonly PlantedIndexFault _planted;
    private long _durablePosition;
    private volatile ReadProgressOf? _lastRead;

    /// <param name="storage">Its environment, in which everything is durable that is there.</param>
    /// <param name="content">What it holds.</param>
    /// <param name="instanceId">Names it.</param>
    /// <param name="durable">Told, on the journal's thread, that <see cref="DurablePosition"/> has moved. Must not throw.</param>
    /// <param name="rolledBack">Told, on the journal's thread, that commits were taken back. Must not throw.</param>
    /// <param name="planted">A mistake for a test to find.</param>
    public IndexTrack(
        StorageEnvironment storage,
        IIndexContent content,
        Guid instanceId,
        Action<IndexTrack> durable,
        Action<IndexTrack> rolledBack,
        PlantedIndexFault planted
    )
    {
        Storage = storage;
        Content = content;
        InstanceId = instanceId;
        _durable = durable;
        _rolledBack = rolledBack;
        _planted = planted;
        Generation = storage.Generation;
        ReadProgress();
        // What was there when the environment was opened was recovered from the journal.
        _durablePosition = Progress.Position;
    }

    public StorageEnvironment Storage { get; }

    public IIndexContent Content { get; }

    public Guid InstanceId { get; }

    /// <summary>As of the newest commit. Of the turn.</summary>
    public IndexProgress Progress { get; private set; } = IndexProgress.None;

    /// <summary>The environment's generation that <see cref="Progress"/> belongs to. Of the turn.</summary>
    public int Generation { get; private set; }

    /// <summary>The position that no crash takes back.</summary>
    public long DurablePosition => Interlocked.Read(ref _durablePosition);

    /// <summary>Reads how far the content is, at first and after a roll back.</summary>
    public void ReadProgress()
    {
        bool isRolledBack = Generation != Storage.Generation;
        // In this order: a roll back in between is met by the next commit.
        Generation = Storage.Generation;
        if (isRolledBack && _planted == PlantedIndexFault.ForgetRollBack)
            return;
        using var reader = Content.OpenRead("index position");
        Progress = IndexProgress.Read(reader);
    }

    /// <summary>How far the content is as a reader sees it. Many readers see one commit: what the first of them has read serves the
    /// others.</summary>
    /// <param name="reader">The reader.</param>
    /// <param name="generation">Of the environment when the reader was opened: after a roll back, commits get the same numbers
    /// again.</param>
    public IndexProgress ProgressSeenBy(IIndexContentReader reader, int generation)
    {
        if (
            _lastRead is { } last
            && last.TransactionId == reader.TransactionId
            && (last.Generation == generation || _planted == PlantedIndexFault.KeepProgressOverRollBack)
        )
            return last.Progress;
        var progress = IndexProgress.Read(reader);
        _lastRead = new ReadProgressOf(reader.TransactionId, generation, progress);
        return progress;
    }

    /// <summary>A batch was committed.</summary>
    public void Committed(PendingCommit commit, IndexProgress progress)
    {
        Progress = progress;
        lock (_lock)
            _commits.Enqueue((commit, progress.Position));
        // It may have become durable before it stood in the queue.
        NoteDurable();
    }

    /// <summary>The journal has been written.</summary>
    public void NoteDurable()
    {
        bool hasMoved = false;
        bool hasFailed = false;
        lock (_lock)
        {
            while (_commits.TryPeek(out var first) && (first.Commit.HasFailed || first.Commit.IsDurable))
            {
                _commits.Dequeue();
                hasFailed |= first.Commit.HasFailed;
                if (first.Commit.HasFailed || first.Position <= _durablePosition)
                    continue;
                Interlocked.Exchange(ref _durablePosition, first.Position);
                hasMoved = true;
            }
        }
        if (hasFailed)
            _rolledBack(this);
        if (hasMoved)
            _durable(this);
    }

    private sealed record ReadProgressOf(long TransactionId, int Generation, IndexProgress Progress);
}
