using System.Buffers.Binary;
using Jackdaw.Search.Dictionary;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Search.Batches;

/// <summary>
/// Sorts terms of a batch by field, tree and key: by eight bytes of the key at a time, so that most comparisons are of numbers.
/// </summary>
internal sealed class TermSorter(BatchContent content, NativeArena arena) : IDisposable
{
    /// <summary>Shorter runs are sorted by comparing keys.</summary>
    private const int ShortRun = 12;

    /// <summary>Bytes of a key, after the first of a text's, that the first pass looks at.</summary>
    private const int BytesOfFirstPass = 5;

    private readonly NativeList<ulong> _heads = new(arena);
    private readonly NativeList<int> _terms = new(arena);

    public ReadOnlySpan<int> Sorted => _terms.Span;

    public void Begin() => _terms.Truncate(0);

    public void Add(int term) => _terms.Add(term);

    public void Sort()
    {
        var heads = _heads.Reset(_terms.Count);
        var terms = _terms.Span;
        for (int i = 0; i < terms.Length; i++)
            heads[i] = FirstHead(terms[i]);
        heads.Sort(terms);
        for (int start = 0; start < terms.Length; )
        {
            int end = EndOfRun(heads, start);
            if (end - start > 1)
            {
                bool isNumber = content.Terms[terms[start]].Kind == TermKind.Number;
                SortRun(start, end, BytesOfFirstPass + (isNumber ? 0 : 1));
            }
            start = end;
        }
    }

    public void Empty(long keptBytes)
    {
        _heads.Empty(keptBytes);
        _terms.Empty(keptBytes);
    }

    public void Dispose()
    {
        _heads.Dispose();
        _terms.Dispose();
    }

    /// <summary>Sorts terms whose keys are equal up to <paramref name="depth"/>. Recursion as deep as a key is long, in steps of
    /// 8.</summary>
    private void SortRun(int start, int end, int depth)
    {
        var terms = _terms.Span[start..end];
        var heads = _heads.Span[start..end];
        bool anyEnds = false;
        for (int i = 0; i < terms.Length && terms.Length > ShortRun; i++)
        {
            var key = content.Terms.KeyOf(terms[i]);
            anyEnds |= key.Length < depth + sizeof(ulong);
            heads[i] = Head(key, depth);
        }
        if (terms.Length <= ShortRun)
        {
            terms.Sort((a, b) => content.Terms.KeyOf(a).SequenceCompareTo(content.Terms.KeyOf(b)));
            return;
        }
        heads.Sort(terms);
        for (int from = 0; from < terms.Length; )
        {
            int to = EndOfRun(heads, from);
            if (to - from > 1)
            {
                // Where a key ends, its zeros may be another's bytes: only keys as a whole tell them apart.
                if (anyEnds)
                    terms[from..to].Sort((a, b) => content.Terms.KeyOf(a).SequenceCompareTo(content.Terms.KeyOf(b)));
                else
                    SortRun(start + from, start + to, depth + sizeof(ulong));
            }
            from = to;
        }
    }

    /// <summary>16 bits field, 1 bit tree, and as many of the key as fit.</summary>
    private ulong FirstHead(int term)
    {
        ref var item = ref content.Terms[term];
        var key = content.Terms.KeyOf(term);
        if (item.Kind == TermKind.Number)
            return ((ulong)item.Field << 48) | (1UL << 47) | (Head(key, 0) >> 17);
        return ((ulong)item.Field << 48) | ((ulong)key[0] << 45) | (Head(key, 1) >> 19);
    }

    /// <summary>Eight bytes of a key as a number that compares as they do, zeros behind its end.</summary>
    public static ulong Head(ReadOnlySpan<byte> key, int depth)
    {
        if (key.Length >= depth + sizeof(ulong))
            return BinaryPrimitives.ReadUInt64BigEndian(key[depth..]);
        ulong head = 0;
        for (int i = depth; i < key.Length; i++)
            head |= (ulong)key[i] << (56 - 8 * (i - depth));
        return head;
    }

    /// <summary>Where the run of equal heads ends.</summary>
    public static int EndOfRun(ReadOnlySpan<ulong> heads, int start)
    {
        int end = start + 1;
        while (end < heads.Length && heads[end] == heads[start])
            end++;
        return end;
    }
}
