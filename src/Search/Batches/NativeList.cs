using System.Runtime.CompilerServices;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Search.Batches;

/// <summary>A list in native memory. What it hands out by reference is valid until the list grows.</summary>
internal sealed unsafe class NativeList<T>(NativeArena arena) : IDisposable
    where T : unmanaged
{
    private const int FirstBytes = 4096;

    private T* _items;
    private int _capacity;

    public int Count { get; private set; }

    public ref T this[int index]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            Invariant.Require((uint)index < (uint)Count);
            return ref _items[index];
        }
    }

    public Span<T> Span => new(_items, Count);

    public Span<T> Slice(int start, int count)
    {
        Invariant.Require((uint)start <= (uint)Count && (uint)count <= (uint)(Count - start));
        return new(_items + start, count);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(in T item)
    {
        if (Count == _capacity)
            Grow(Count + 1L);
        _items[Count++] = item;
    }

    /// <summary>Adds items with any content.</summary>
    public Span<T> AddMany(int count)
    {
        if (count > _capacity - Count)
            Grow((long)Count + count);
        var added = new Span<T>(_items + Count, count);
        Count += count;
        return added;
    }

    /// <summary>Forgets all from there on.</summary>
    public void Truncate(int count)
    {
        Invariant.Require((uint)count <= (uint)Count);
        Count = count;
    }

    /// <summary>Holds exactly so many, with any content.</summary>
    public Span<T> Reset(int count)
    {
        Count = 0;
        return AddMany(count);
    }

    /// <summary>Holds exactly so many zeros.</summary>
    public Span<T> Clear(int count)
    {
        var items = Reset(count);
        items.Clear();
        return items;
    }

    /// <summary>Empties the list, and gives memory back if it has more than that.</summary>
    public void Empty(long keptBytes)
    {
        Count = 0;
        if ((long)_capacity * sizeof(T) > keptBytes)
            Dispose();
    }

    public void Dispose()
    {
        if (_items != null)
            arena.Free(_items, (long)_capacity * sizeof(T));
        _items = null;
        _capacity = 0;
        Count = 0;
    }

    private void Grow(long atLeast)
    {
        long most = SearchLimits.MaxBatchPartBytes / sizeof(T);
        if (atLeast > most)
            throw new LimitExceededException(
                "A part of an index batch in bytes",
                atLeast * sizeof(T),
                SearchLimits.MaxBatchPartBytes,
                "SearchLimits.MaxBatchPartBytes, fixed"
            );
        long capacity = Math.Min(most, Math.Max(atLeast, Math.Max(FirstBytes / sizeof(T), 2L * _capacity)));
        var items =
            _items == null
                ? (T*)arena.Allocate(capacity * sizeof(T))
                : (T*)arena.Enlarge(_items, (long)_capacity * sizeof(T), capacity * sizeof(T));
        _items = items;
        _capacity = (int)capacity;
    }
}
