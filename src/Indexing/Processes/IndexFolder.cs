using Jackdaw.Documents;
using Jackdaw.Indexing.Contents;
using Jackdaw.Indexing.Registry;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Indexing.Processes;

/// <summary>An index's folder while it is open: its environment, its content, and how far that is, visibly and durably.</summary>
internal sealed class IndexFolder
{
    private readonly Lock _lock = new();
    private readonly Queue<(PendingCommit Commit, long Position)> _commits = new();
    private readonly Action<IndexFolder> _durable;
    private readonly Action<IndexFolder> _rolledBack;
    private long _durablePosition;

    private IndexFolder(
        DatabaseEnvironment environment,
        IIndexContent content,
        Guid instanceId,
        Action<IndexFolder> durable,
        Action<IndexFolder> rolledBack
    )
    {
        Environment = environment;
        Content = content;
        InstanceId = instanceId;
        _durable = durable;
        _rolledBack = rolledBack;
    }

    public DatabaseEnvironment Environment { get; }

    public IIndexContent Content { get; }

    public Guid InstanceId { get; }

    /// <summary>As of the newest commit. Of the turn.</summary>
    public IndexProgress Progress { get; private set; } = IndexProgress.None;

    /// <summary>The environment's generation that <see cref="Progress"/> belongs to. Of the turn.</summary>
    public int Generation { get; private set; }

    /// <summary>The position that no crash takes back.</summary>
    public long DurablePosition => Interlocked.Read(ref _durablePosition);

    /// <summary>Opens the folder, making it when there is none. Errors: those of the environment, and of a content of another
    /// format.</summary>
    /// <param name="database">The database.</param>
    /// <param name="record">The index.</param>
    /// <param name="options">How indexes run.</param>
    /// <param name="durable">Told, on the journal's thread, that <see cref="DurablePosition"/> has moved. Must not throw.</param>
    /// <param name="rolledBack">Told, on the journal's thread, that commits were taken back. Must not throw.</param>
    /// <param name="faulted">Told that the environment is poisoned. Must not throw.</param>
    public static IndexFolder Open(
        Database database,
        IndexRecord record,
        IndexingOptions options,
        Action<IndexFolder> durable,
        Action<IndexFolder> rolledBack,
        Action faulted
    )
    {
        IndexFolder? folder = null;
        var environment = database.OpenEnvironment(
            record.Folder,
            new DatabaseEnvironmentOptions { Journaled = () => Volatile.Read(ref folder)?.NoteDurable(), Faulted = faulted }
        );
        try
        {
            var content = options.OpenContent(environment.Storage, record.InstanceId);
            var opened = new IndexFolder(environment, content, record.InstanceId, durable, rolledBack);
            // What was made just now is never rolled back: the content may keep in memory what it has on the disk.
            if (environment.Storage.DurableTransactionId < environment.Storage.VisibleTransactionId)
                environment.Storage.MakeDurableAsync().GetAwaiter().GetResult();
            opened.ReadProgress();
            // What was there when the folder was opened was recovered from the journal.
            opened._durablePosition = opened.Progress.Position;
            Volatile.Write(ref folder, opened);
            return opened;
        }
        catch
        {
            // On the thread of a turn, which may wait for the disk.
            environment.CloseAsync().GetAwaiter().GetResult();
            throw;
        }
    }

    /// <summary>Reads how far the content is, at first and after a roll back.</summary>
    public void ReadProgress()
    {
        // In this order: a roll back in between is met by the next commit.
        Generation = Environment.Storage.Generation;
        using var reader = Content.OpenRead("index position");
        Progress = IndexProgress.Read(reader);
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
}
