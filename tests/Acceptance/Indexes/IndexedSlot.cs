namespace Jackdaw.Acceptance.Indexes;

/// <summary>What is known of one document, of which one writer has charge. Thread-safe.</summary>
internal sealed class IndexedSlot(string id)
{
    private readonly Lock _lock = new();
    private IndexedDocument? _acknowledged;
    private IndexedDocument? _tried;
    private bool _isInDoubt;
    private int _version;

    public string Id => id;

    public IndexedDocument? Acknowledged
    {
        get
        {
            lock (_lock)
                return _acknowledged;
        }
    }

    /// <summary>A write of this state is sent; null: a deletion.</summary>
    public void Begin(IndexedDocument? tried)
    {
        lock (_lock)
        {
            _version++;
            _isInDoubt = true;
            _tried = tried;
        }
    }

    /// <summary>The write was acknowledged.</summary>
    public void End()
    {
        lock (_lock)
        {
            _isInDoubt = false;
            _acknowledged = _tried;
        }
    }

    /// <summary>The state, when no write of it is under way; the version changes with the next one.</summary>
    public (bool IsCertain, int Version, IndexedDocument? State) Look()
    {
        lock (_lock)
            return (!_isInDoubt, _version, _acknowledged);
    }

    /// <summary>What a server has of it after a crash. False: it was acknowledged otherwise.</summary>
    public bool Settle(IndexedDocument? found)
    {
        lock (_lock)
        {
            bool isRight = IsSame(found, _acknowledged) || (_isInDoubt && IsSame(found, _tried));
            _acknowledged = found;
            _isInDoubt = false;
            _version++;
            return isRight;
        }
    }

    private static bool IsSame(IndexedDocument? one, IndexedDocument? other) => one is null ? other is null : one.IsSame(other);
}
