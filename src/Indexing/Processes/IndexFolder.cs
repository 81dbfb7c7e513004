using Jackdaw.Documents;
using Jackdaw.Indexing.Contents;
using Jackdaw.Indexing.Registry;

namespace Jackdaw.Indexing.Processes;

/// <summary>An index's folder while it is open, in an environment that the server's threads run.</summary>
internal sealed class IndexFolder : IndexTrack
{
    private readonly List<IndexLease> _leases = [];

    /// <summary>Guarded by the leases' lock.</summary>
    private bool _hasEndedLeases;

    private IndexFolder(
        DatabaseEnvironment environment,
        IIndexContent content,
        IndexRecord record,
        Action<IndexTrack> durable,
        Action<IndexTrack> rolledBack,
        PlantedIndexFault planted
    )
        : base(environment.Storage, content, record.InstanceId, durable, rolledBack, planted) => Environment = environment;

    public DatabaseEnvironment Environment { get; }

    /// <summary>Somebody keeps it open. False once it is to be opened anew: nobody may keep it any more.</summary>
    public bool TryAdd(IndexLease lease)
    {
        lock (_leases)
        {
            if (!_hasEndedLeases)
                _leases.Add(lease);
            return !_hasEndedLeases;
        }
    }

    public void Remove(IndexLease lease)
    {
        lock (_leases)
            _leases.Remove(lease);
    }

    /// <summary>Nobody keeps it open any more: it is to be opened anew.</summary>
    public void EndLeases()
    {
        IndexLease[] leases;
        lock (_leases)
        {
            _hasEndedLeases = true;
            leases = [.. _leases];
        }
        foreach (var lease in leases)
            lease.Dispose();
    }

    /// <summary>Opens the folder, making it when there is none. Errors: those of the environment, and of a content of another
    /// format.</summary>
    /// <param name="database">The database.</param>
    /// <param name="record">The index.</param>
    /// <param name="options">How indexes run.</param>
    /// <param name="durable">Told, on the journal's thread, that <see cref="IndexTrack.DurablePosition"/> has moved. Must not
    /// throw.</param>
    /// <param name="rolledBack">Told, on the journal's thread, that commits were taken back. Must not throw.</param>
    /// <param name="faulted">Told that the environment is poisoned. Must not throw.</param>
    public static IndexFolder Open(
        Database database,
        IndexRecord record,
        IndexingOptions options,
        Action<IndexTrack> durable,
        Action<IndexTrack> rolledBack,
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
            // What was made just now is never rolled back: the content may keep in memory what it has on the disk.
            if (environment.Storage.DurableTransactionId < environment.Storage.VisibleTransactionId)
                environment.Storage.MakeDurableAsync().GetAwaiter().GetResult();
            var opened = new IndexFolder(environment, content, record, durable, rolledBack, options.Planted);
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
}
