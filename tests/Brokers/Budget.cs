namespace Jackdaw.Brokers;

/// <summary>How many more bytes pass in one direction of a proxy before it cuts.</summary>
internal sealed class Budget
{
    private readonly Lock _lock = new();
    private long? _left;
    private long _passed;
    private int _cuts;

    public long Passed
    {
        get
        {
            lock (_lock)
                return _passed;
        }
    }

    public int Cuts
    {
        get
        {
            lock (_lock)
                return _cuts;
        }
    }

    public void Set(long? bytes)
    {
        lock (_lock)
            _left = bytes;
    }

    /// <summary>How many of these bytes may pass, and whether everything is cut after them.</summary>
    public (int Bytes, bool IsCut) Take(int bytes)
    {
        lock (_lock)
        {
            if (_left is not { } left || left > bytes)
            {
                _left -= bytes;
                _passed += bytes;
                return (bytes, false);
            }
            _left = null;
            _passed += left;
            _cuts++;
            return ((int)left, true);
        }
    }
}
