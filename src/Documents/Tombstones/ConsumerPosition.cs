namespace Jackdaw.Documents.Tombstones;

/// <summary>How far one consumer has come. Disposed of when the consumer is no more.</summary>
public sealed class ConsumerPosition : IDisposable
{
    private readonly ConsumerPositions _positions;
    private long _etag;
    private volatile bool _isEnabled = true;

    internal ConsumerPosition(ConsumerPositions positions, string name, long etag)
    {
        _positions = positions;
        Name = name;
        _etag = etag;
    }

    public string Name { get; }

    /// <summary>The highest etag whose changes it has durably dealt with.</summary>
    public long Etag
    {
        get => Volatile.Read(ref _etag);
        set => Volatile.Write(ref _etag, value);
    }

    /// <summary>A disabled consumer holds no tombstones: enabled again later, it must begin anew.</summary>
    public bool IsEnabled
    {
        get => _isEnabled;
        set => _isEnabled = value;
    }

    /// <summary>The consumer is no more.</summary>
    public void Dispose() => _positions.Remove(this);
}
