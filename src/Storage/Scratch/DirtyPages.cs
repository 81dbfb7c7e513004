using Jackdaw.Storage.Memory;

namespace Jackdaw.Storage.Scratch;

/// <summary>Page numbers that the writer created or first modified, in order of happening; one list, reused by every writer.</summary>
internal sealed unsafe class DirtyPages : IDisposable
{
    private const int FirstCapacity = 1024;

    private readonly NativeArena _arena = new("dirty pages");
    private long* _pages;
    private int _capacity = FirstCapacity;
    private int _count;

    public DirtyPages() => _pages = (long*)_arena.Allocate(_capacity * sizeof(long));

    public bool IsEmpty => _count == 0;

    public void Clear() => _count = 0;

    public void Add(long page)
    {
        if (_count == _capacity)
            Enlarge();
        _pages[_count++] = page;
    }

    /// <summary>Sorts the list, drops repetitions, and returns it; valid until the next call.</summary>
    public ReadOnlySpan<long> SortedDistinct()
    {
        var pages = new Span<long>(_pages, _count);
        pages.Sort();
        var kept = 0;
        for (var i = 0; i < pages.Length; i++)
        {
            if (i == 0 || pages[i] != pages[kept - 1])
                pages[kept++] = pages[i];
        }
        _count = kept;
        return pages[..kept];
    }

    /// <summary>Gives back what a large transaction took; the list must not be in use. Returns how many bytes that were.</summary>
    public long Trim()
    {
        if (_capacity == FirstCapacity)
            return 0;
        var bytes = (long)_capacity * sizeof(long);
        _arena.Free(_pages, bytes);
        _capacity = FirstCapacity;
        _count = 0;
        _pages = (long*)_arena.Allocate((long)_capacity * sizeof(long));
        return bytes - (long)_capacity * sizeof(long);
    }

    /// <summary>Bytes of the list beyond those that it begins with.</summary>
    public long KeptBytes => (long)(_capacity - FirstCapacity) * sizeof(long);

    public void Dispose()
    {
        _arena.Free(_pages, (long)_capacity * sizeof(long));
        _arena.Dispose();
    }

    private void Enlarge()
    {
        var larger = (long*)_arena.Allocate((long)_capacity * 2 * sizeof(long));
        new Span<long>(_pages, _count).CopyTo(new Span<long>(larger, _count));
        _arena.Free(_pages, (long)_capacity * sizeof(long));
        _pages = larger;
        _capacity *= 2;
    }
}
