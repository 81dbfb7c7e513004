namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Remembers what was made for a key, from the second time that the key is asked. What comes once would only live long enough to be copied
/// by the garbage collector, and would push out what comes again. When there is too much, all is forgotten. Thread-safe.
/// </summary>
/// <param name="maxCount">Values that are remembered.</param>
/// <param name="maxSize">Their sizes together, in whatever unit <see cref="Add"/> is given.</param>
public sealed class SecondTimeCache<TKey, TValue>(int maxCount, long maxSize)
    where TKey : notnull
{
    /// <summary>Hashes of keys that were asked once; a later one takes the place of an earlier one.</summary>
    private const int OnceAsked = 4096;

    private readonly Lock _gate = new();
    private readonly Dictionary<TKey, TValue> _values = [];
    private readonly int[] _once = new int[OnceAsked];
    private long _size;

    /// <summary>How many are remembered.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
                return _values.Count;
        }
    }

    /// <summary>Returns whether the value is remembered.</summary>
    /// <param name="key">What is asked.</param>
    /// <param name="value">The value, if it is.</param>
    /// <param name="isAskedAgain">It is not, and the key was asked before: the value is worth remembering. Another key of the same hash may
    /// answer true; then one is remembered that came once.</param>
    public bool TryGet(TKey key, out TValue? value, out bool isAskedAgain)
    {
        isAskedAgain = false;
        lock (_gate)
        {
            if (_values.TryGetValue(key, out value))
                return true;
            int hash = key.GetHashCode();
            ref int last = ref _once[(uint)hash % OnceAsked];
            isAskedAgain = last == hash;
            last = hash;
            return false;
        }
    }

    /// <summary>Remembers a value; of several for one key the first.</summary>
    public void Add(TKey key, TValue value, int size)
    {
        lock (_gate)
        {
            if (_values.Count >= maxCount || _size + size > maxSize)
            {
                _values.Clear();
                _size = 0;
            }
            if (_values.TryAdd(key, value))
                _size += size;
        }
    }
}
