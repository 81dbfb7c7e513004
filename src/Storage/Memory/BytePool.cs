using System.Buffers;
using System.Numerics;

namespace Jackdaw.Storage.Memory;

/// <summary>
/// Byte arrays for requests and their answers. Small ones come from the runtime's shared pool, which keeps few of each size;
/// larger ones are kept
/// here, up to a bound over all sizes together; the largest are never kept. Thread-safe.
/// </summary>
public sealed class BytePool : IKeptMemory
{
    /// <summary>Arrays up to this length are the runtime's to keep.</summary>
    private const int SharedBytes = 64 << 10;

    /// <summary>Longer arrays are given to the collector.</summary>
    private const int LongestKeptBytes = 4 << 20;

    private static readonly int s_sizes = BitOperations.Log2(LongestKeptBytes / SharedBytes);

    private readonly Lock _gate = new();
    private readonly List<byte[]>[] _kept = [.. Enumerable.Range(0, s_sizes).Select(_ => new List<byte[]>())];
    private readonly int[] _leastKept = new int[s_sizes];
    private long _keptBytes;

    /// <param name="owner">Shown in metrics.</param>
    /// <param name="maxKeptBytes">The bound over all sizes.</param>
    public BytePool(string owner, long maxKeptBytes)
    {
        Invariant.Require(maxKeptBytes >= 0);
        Owner = owner;
        MaxKeptBytes = maxKeptBytes;
    }

    /// <summary>The process's pool of request bodies and answers.</summary>
    public static BytePool Requests { get; } = Registered(new BytePool("request buffers", 32L << 20));

    /// <inheritdoc/>
    public string Owner { get; }

    /// <inheritdoc/>
    public long KeptBytes => Volatile.Read(ref _keptBytes);

    /// <inheritdoc/>
    public long MaxKeptBytes { get; }

    /// <summary>Returns an array of at least this length, with any content.</summary>
    public byte[] Rent(int atLeast)
    {
        if (atLeast <= SharedBytes)
            return ArrayPool<byte>.Shared.Rent(atLeast);
        if (atLeast > LongestKeptBytes)
            return GC.AllocateUninitializedArray<byte>(atLeast);
        int size = SizeOf(atLeast);
        lock (_gate)
        {
            var kept = _kept[size];
            if (kept.Count > 0)
            {
                var array = kept[^1];
                kept.RemoveAt(kept.Count - 1);
                _leastKept[size] = Math.Min(_leastKept[size], kept.Count);
                _keptBytes -= array.Length;
                return array;
            }
        }
        return GC.AllocateUninitializedArray<byte>(LengthOf(size));
    }

    /// <summary>Takes an array back that <see cref="Rent"/> gave, or drops it where enough is kept. Nobody may use it any more.</summary>
    public void Return(byte[] array)
    {
        ArgumentNullException.ThrowIfNull(array);
        if (array.Length <= SharedBytes)
        {
            ArrayPool<byte>.Shared.Return(array);
            return;
        }
        if (array.Length > LongestKeptBytes)
            return;
        int size = SizeOf(array.Length);
        Invariant.Require(array.Length == LengthOf(size));
        lock (_gate)
        {
            if (_keptBytes + array.Length > MaxKeptBytes)
                return;
            _kept[size].Add(array);
            _keptBytes += array.Length;
        }
        KeptMemory.Keeps();
    }

    /// <inheritdoc/>
    public long Trim()
    {
        long freed = 0;
        lock (_gate)
        {
            for (int size = 0; size < s_sizes; size++)
            {
                _kept[size].RemoveRange(0, _leastKept[size]);
                freed += (long)_leastKept[size] * LengthOf(size);
                _leastKept[size] = _kept[size].Count;
            }
            _keptBytes -= freed;
        }
        return freed;
    }

    /// <summary>0 for twice <see cref="SharedBytes"/>, and one more for each doubling.</summary>
    private static int SizeOf(int length) => BitOperations.Log2((uint)(length - 1) / SharedBytes);

    private static int LengthOf(int size) => (SharedBytes * 2) << size;

    private static BytePool Registered(BytePool pool)
    {
        KeptMemory.Register(pool);
        return pool;
    }
}
