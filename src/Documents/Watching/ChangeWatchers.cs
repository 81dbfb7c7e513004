namespace Jackdaw.Documents.Watching;

/// <summary>
/// Who waits for changes of a database, each for those of its own collections. Noting what a durable transaction did allocates
/// nothing once the collections are known; waking happens afterwards, on another thread. Thread-safe.
/// </summary>
internal sealed class ChangeWatchers
{
    private readonly Lock _lock = new();
    private Dictionary<uint, CollectionChange> _pending = [];
    private Dictionary<uint, CollectionChange>? _spare = [];
    private ChangeWatch[] _watches = [];

    /// <summary>Adds a consumer. It is told of nothing that became durable before, so it reads once when this has returned.</summary>
    /// <param name="wants">What it wants of a collection, by the collection's name; asked once for each. Null: everything.</param>
    /// <param name="woken">Called on the thread pool. Must be quick and must not throw. Several transactions may share one call,
    /// and calls may overlap.</param>
    public ChangeWatch Watch(Func<string, ChangeKinds>? wants, Action woken)
    {
        var watch = new ChangeWatch(this, wants, woken);
        lock (_lock)
            _watches = [.. _watches, watch];
        return watch;
    }

    public void Remove(ChangeWatch watch)
    {
        lock (_lock)
            _watches = [.. _watches.Where(other => other != watch)];
    }

    /// <summary>A transaction has become durable: who wants one of its changes is woken by the next <see cref="Wake"/>.</summary>
    public void Note(IReadOnlyList<CollectionChange> changes)
    {
        lock (_lock)
        {
            if (_watches.Length == 0)
                return;
            for (int i = 0; i < changes.Count; i++)
            {
                var change = changes[i];
                var former = _pending.TryGetValue(change.CollectionId, out var known) ? known.Kinds : ChangeKinds.None;
                _pending[change.CollectionId] = change with { Kinds = former | change.Kinds };
            }
        }
    }

    /// <summary>Something was noted since the last <see cref="Wake"/>.</summary>
    public bool HasNoted
    {
        get
        {
            lock (_lock)
                return _pending.Count > 0;
        }
    }

    /// <summary>Told what a consumer's callback has thrown, which must not throw: nobody else would catch it on the thread pool.</summary>
    public Action<Exception>? Failed { get; set; }

    /// <summary>Wakes everybody who wants something of what was noted since the last call.</summary>
    public void Wake()
    {
        Dictionary<uint, CollectionChange> changes;
        ChangeWatch[] watches;
        lock (_lock)
        {
            if (_pending.Count == 0)
                return;
            changes = _pending;
            _pending = _spare ?? [];
            _spare = null;
            watches = _watches;
        }
        foreach (var watch in watches)
        {
            foreach (var change in changes.Values)
            {
                if (!watch.Wants(change))
                    continue;
                WakeOne(watch);
                break;
            }
        }
        changes.Clear();
        lock (_lock)
            _spare ??= changes;
    }

    private void WakeOne(ChangeWatch watch)
    {
        try
        {
            watch.Wake();
        }
        catch (Exception fault) when (Failed is { } failed)
        {
            failed(fault);
        }
    }
}
