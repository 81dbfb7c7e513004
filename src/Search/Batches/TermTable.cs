using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Jackdaw.Search.Dictionary;
using Jackdaw.Storage;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Search.Batches;

/// <summary>The distinct terms of a batch, each under a number from 0 on: a hash table in native memory.</summary>
internal sealed class TermTable : IDisposable
{
    private const int FirstSlots = 1024;
    private const ulong Factor = 0x9E3779B97F4A7C15;

    private readonly NativeList<byte> _bytes;
    private readonly NativeList<BatchTerm> _terms;
    private readonly NativeList<int> _slots;
    private readonly ulong _seed;

    /// <param name="arena">The batch's.</param>
    /// <param name="bytes">Where keys are put.</param>
    /// <param name="seed">Of hashes: not known to whoever chooses terms. Hashes of positions are stored, so it is the same for the life of
    /// an index.</param>
    public TermTable(NativeArena arena, NativeList<byte> bytes, ulong seed)
    {
        _bytes = bytes;
        _terms = new NativeList<BatchTerm>(arena);
        _slots = new NativeList<int>(arena);
        _seed = seed;
    }

    public int Count => _terms.Count;

    public ref BatchTerm this[int term] => ref _terms[term];

    public Span<BatchTerm> All => _terms.Span;

    public ReadOnlySpan<byte> KeyOf(int term)
    {
        ref var item = ref _terms[term];
        return _bytes.Slice(item.KeyAt, item.KeyBytes);
    }

    /// <summary>Finds the term, or adds it.</summary>
    public int Intern(ushort field, TermKind kind, ReadOnlySpan<byte> key)
    {
        if (_terms.Count * 2 >= _slots.Count)
            Rehash();
        ulong hash = HashOf(field, kind, key);
        int mask = _slots.Count - 1;
        var slots = _slots.Span;
        int slot = (int)(hash >> 32) & mask;
        for (; slots[slot] != 0; slot = (slot + 1) & mask)
        {
            int found = slots[slot] - 1;
            ref var term = ref _terms[found];
            if (term.Hash == hash && term.Field == field && term.Kind == kind && KeyOf(found).SequenceEqual(key))
                return found;
        }
        Invariant.Require(key.Length is > 0 and <= TextKey.MaxBytes);
        int at = _bytes.Count;
        key.CopyTo(_bytes.AddMany(key.Length));
        _terms.Add(
            new BatchTerm
            {
                Hash = hash,
                KeyAt = at,
                KeyBytes = (ushort)key.Length,
                Field = field,
                Kind = kind,
            }
        );
        slots[slot] = _terms.Count;
        return _terms.Count - 1;
    }

    public void Empty(long keptBytes)
    {
        _terms.Empty(keptBytes);
        _slots.Empty(keptBytes);
        _slots.Span.Clear();
        _slots.Truncate(0);
    }

    public void Dispose()
    {
        _terms.Dispose();
        _slots.Dispose();
    }

    /// <summary>Mixes a number into a hash.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Mix(ulong hash, ulong number)
    {
        ulong high = Math.BigMul(hash ^ number ^ 0xD6E8FEB86659FD93, Factor, out ulong low);
        return high ^ low;
    }

    private ulong HashOf(ushort field, TermKind kind, ReadOnlySpan<byte> key)
    {
        ulong hash = Mix(_seed, ((ulong)field << 40) | ((ulong)kind << 32) | (uint)key.Length);
        while (key.Length >= sizeof(ulong))
        {
            hash = Mix(hash, MemoryMarshal.Read<ulong>(key));
            key = key[sizeof(ulong)..];
        }
        ulong rest = 0;
        for (int i = 0; i < key.Length; i++)
            rest |= (ulong)key[i] << (8 * i);
        return Mix(hash, rest);
    }

    private void Rehash()
    {
        int size = Math.Max(FirstSlots, _slots.Count * 2);
        var slots = _slots.Clear(size);
        var terms = _terms.Span;
        for (int i = 0; i < terms.Length; i++)
        {
            int slot = (int)(terms[i].Hash >> 32) & (size - 1);
            while (slots[slot] != 0)
                slot = (slot + 1) & (size - 1);
            slots[slot] = i + 1;
        }
    }
}
