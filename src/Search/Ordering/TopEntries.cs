using Jackdaw.Search.Columns;
using Jackdaw.Storage;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Search.Ordering;

/// <summary>
/// The first so many entries of an order among all that are offered: a heap of items in native memory, its root the last of them. An item
/// is
/// the entry id, the coarse number of its first key, and its cells.
/// </summary>
internal sealed unsafe class TopEntries : IDisposable
{
    private const int CellsOffset = 16;

    /// <summary>Entries whose first keys are read at a time.</summary>
    private const int ReadEntries = 256;

    private static readonly NativeArena s_arena = new("search orders");

    private readonly OrderKeys _keys;
    private readonly int _itemBytes;
    private readonly long _bytes;
    private byte* _items;

    /// <param name="keys">The order; at least one key.</param>
    /// <param name="capacity">Entries to keep.</param>
    public TopEntries(OrderKeys keys, int capacity)
    {
        Invariant.Require(capacity > 0 && keys.Count > 0);
        _keys = keys;
        Capacity = capacity;
        _itemBytes = ItemBytes(keys.Count);
        // One more: to move items about.
        _bytes = (long)(capacity + 1) * _itemBytes;
        _items = s_arena.Allocate(_bytes);
    }

    /// <summary>Native memory of all orders, in bytes.</summary>
    public static long AllocatedBytes => s_arena.AllocatedBytes;

    public int Capacity { get; }

    public int Count { get; private set; }

    private bool IsFull => Count == Capacity;

    public static int ItemBytes(int keys) => CellsOffset + keys * ColumnCell.Bytes;

    public void Clear() => Count = 0;

    /// <summary>The entry at an index; in order after <see cref="Sort"/>.</summary>
    public long EntryAt(int index) => *(long*)Item(index);

    /// <summary>Keeps those of the entries that are among the first.</summary>
    public void Offer(ReadOnlySpan<long> entries, OrderBound? bound)
    {
        var keys = _keys.All;
        Span<ColumnCell> cells = stackalloc ColumnCell[keys.Length];
        Span<ColumnCell> firstCells = stackalloc ColumnCell[ReadEntries];
        Span<ulong> coarse = stackalloc ulong[ReadEntries];
        for (; !entries.IsEmpty; entries = entries[Math.Min(entries.Length, ReadEntries)..])
        {
            var some = entries[..Math.Min(entries.Length, ReadEntries)];
            keys[0].Read(some, firstCells, coarse);
            for (int i = 0; i < some.Length; i++)
            {
                if (IsFull && coarse[i] > CoarseOf(Item(0)))
                    continue;
                if (bound is not null && coarse[i] < bound.Coarse)
                    continue;
                cells[0] = firstCells[i];
                for (int key = 1; key < cells.Length; key++)
                    cells[key] = keys[key].Of(some[i]);
                if (bound is not null && Compare(coarse[i], cells, some[i], bound.Coarse, bound.Cells, bound.Entry) <= 0)
                    continue;
                Offer(some[i], coarse[i], cells);
            }
        }
    }

    /// <summary>Brings what was kept into its order; nothing can be offered then until <see cref="Clear"/>.</summary>
    public void Sort()
    {
        int count = Count;
        while (Count > 1)
        {
            Count--;
            Swap(0, Count);
            SiftDown(0);
        }
        Count = count;
    }

    /// <summary>Where the last item stands, after <see cref="Sort"/>.</summary>
    public OrderBound Last()
    {
        Invariant.Require(Count > 0);
        byte* last = Item(Count - 1);
        return new OrderBound(CoarseOf(last), CellsOf(last).ToArray(), *(long*)last);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_items == null)
            return;
        s_arena.Free(_items, _bytes);
        _items = null;
    }

    private static ulong CoarseOf(byte* item) => *(ulong*)(item + sizeof(long));

    private byte* Item(int index) => _items + (long)index * _itemBytes;

    private ReadOnlySpan<ColumnCell> CellsOf(byte* item) => new(item + CellsOffset, _keys.Count);

    private void Offer(long entry, ulong coarse, ReadOnlySpan<ColumnCell> cells)
    {
        if (!IsFull)
        {
            Write(Item(Count), entry, coarse, cells);
            SiftUp(Count++);
            return;
        }
        byte* root = Item(0);
        if (Compare(coarse, cells, entry, CoarseOf(root), CellsOf(root), *(long*)root) >= 0)
            return;
        Write(root, entry, coarse, cells);
        SiftDown(0);
    }

    private static void Write(byte* item, long entry, ulong coarse, ReadOnlySpan<ColumnCell> cells)
    {
        *(long*)item = entry;
        *(ulong*)(item + sizeof(long)) = coarse;
        cells.CopyTo(new Span<ColumnCell>(item + CellsOffset, cells.Length));
    }

    private int Compare(
        ulong coarseA,
        ReadOnlySpan<ColumnCell> cellsA,
        long entryA,
        ulong coarseB,
        ReadOnlySpan<ColumnCell> cellsB,
        long entryB
    )
    {
        if (coarseA != coarseB)
            return coarseA < coarseB ? -1 : 1;
        var keys = _keys.All;
        for (int i = 0; i < keys.Length; i++)
        {
            int order = keys[i].Compare(cellsA[i], cellsB[i]);
            if (order != 0)
                return order;
        }
        return entryA.CompareTo(entryB);
    }

    private bool IsBefore(int a, int b)
    {
        byte* first = Item(a);
        byte* second = Item(b);
        return Compare(CoarseOf(first), CellsOf(first), *(long*)first, CoarseOf(second), CellsOf(second), *(long*)second) < 0;
    }

    private void SiftUp(int index)
    {
        while (index > 0)
        {
            int parent = (index - 1) / 2;
            if (!IsBefore(parent, index))
                return;
            Swap(parent, index);
            index = parent;
        }
    }

    private void SiftDown(int index)
    {
        for (; ; )
        {
            int child = 2 * index + 1;
            if (child >= Count)
                return;
            if (child + 1 < Count && IsBefore(child, child + 1))
                child++;
            if (!IsBefore(index, child))
                return;
            Swap(index, child);
            index = child;
        }
    }

    private void Swap(int a, int b)
    {
        byte* spare = _items + (long)Capacity * _itemBytes;
        Buffer.MemoryCopy(Item(a), spare, _itemBytes, _itemBytes);
        Buffer.MemoryCopy(Item(b), Item(a), _itemBytes, _itemBytes);
        Buffer.MemoryCopy(spare, Item(b), _itemBytes, _itemBytes);
    }
}
