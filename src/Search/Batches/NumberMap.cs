using Jackdaw.Storage;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Search.Batches;

/// <summary>The batch's numbers of terms by field and term number: a hash table in native memory.</summary>
internal sealed class NumberMap(NativeArena arena) : IDisposable
{
    private const int FirstSlots = 256;

    private NativeList<Slot> _slots = new(arena);
    private NativeList<Slot> _spare = new(arena);
    private int _count;

    /// <summary>-1: not known.</summary>
    public int Find(ushort field, uint number)
    {
        if (_count == 0)
            return -1;
        ulong key = KeyOf(field, number);
        var slots = _slots.Span;
        for (int at = PlaceOf(key, slots.Length); ; at = (at + 1) & (slots.Length - 1))
        {
            if (slots[at].Key == key)
                return slots[at].Term;
            if (slots[at].Key == 0)
                return -1;
        }
    }

    public void Add(ushort field, uint number, int term)
    {
        Invariant.Require(number > 0);
        if (_count * 2 >= _slots.Count)
            Grow();
        Insert(_slots.Span, new Slot { Key = KeyOf(field, number), Term = term });
        _count++;
    }

    public void Empty(long keptBytes)
    {
        _slots.Empty(keptBytes);
        _spare.Empty(keptBytes);
        _count = 0;
    }

    public void Dispose()
    {
        _slots.Dispose();
        _spare.Dispose();
    }

    private static ulong KeyOf(ushort field, uint number) => ((ulong)field << 32) | number;

    private static int PlaceOf(ulong key, int slots) => (int)(TermTable.Mix(0, key) >> 32) & (slots - 1);

    private static void Insert(Span<Slot> slots, in Slot slot)
    {
        int at = PlaceOf(slot.Key, slots.Length);
        while (slots[at].Key != 0)
            at = (at + 1) & (slots.Length - 1);
        slots[at] = slot;
    }

    private void Grow()
    {
        int size = Math.Max(FirstSlots, 2 * _slots.Count);
        var slots = _spare.Clear(size);
        if (_count > 0)
        {
            foreach (ref readonly var slot in _slots.Span)
            {
                if (slot.Key != 0)
                    Insert(slots, slot);
            }
        }
        (_slots, _spare) = (_spare, _slots);
    }

    private struct Slot
    {
        public ulong Key;

        public int Term;
    }
}
