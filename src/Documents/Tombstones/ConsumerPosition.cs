namespace Jackdaw.Documents.Tombstones;

/// <summary>How far one consumer has come. Disposed of when the consumer is no more.</summary>
public sealed class ConsumerPosition : IDisposable
{
    private readonly ConsumerPositions _positions;
    private long _etag;
    private long _disabledSince;
    private volatile bool _isEnabled = true;

    internal ConsumerPosition(ConsumerPositions positions, string name, long etag, Func<string, bool>? wants)
    {
        _positions = positions;
        Wants = wants;
        Name = name;
        _etag = etag;
    }

    /// <summary>The name under which the consumer is registered.</summary>
    public string Name { get; }

    /// <summary>Are a collection's deletions of any interest to it? Null: each is.</summary>
    internal Func<string, bool>? Wants { get; }

    /// <summary>The highest etag whose changes it has durably dealt with.</summary>
    public long Etag
    {
        get => Volatile.Read(ref _etag);
        set
        {
            Volatile.Write(ref _etag, value);
            _positions.NoteMoved();
        }
    }

    /// <summary>A disabled consumer holds its tombstones for a while (<see cref="ConsumerPositions.HeldForDisabled"/>), and no
    /// longer.</summary>
    public bool IsEnabled
    {
        get => _isEnabled;
        set
        {
            if (!value && _isEnabled)
                _disabledSince = _positions.Clock.GetTimestamp();
            _isEnabled = value;
            _positions.NoteMoved();
        }
    }

    /// <summary>
    /// It was disabled for so long that deletions it has not seen may be forgotten: it must throw away what it has made and call
    /// <see cref="BeginAnew"/>, telling so.
    /// </summary>
    public bool MustBeginAnew { get; private set; }

    /// <summary>Back to the first etag.</summary>
    public void BeginAnew()
    {
        Etag = 0;
        MustBeginAnew = false;
    }

    /// <summary>Does it still keep tombstones from being removed? Noted when it does no longer.</summary>
    internal bool Holds()
    {
        if (_isEnabled)
            return true;
        if (_positions.Clock.GetElapsedTime(_disabledSince) < ConsumerPositions.HeldForDisabled)
            return true;
        MustBeginAnew = true;
        return false;
    }

    /// <summary>The consumer is no more.</summary>
    public void Dispose() => _positions.Remove(this);
}
