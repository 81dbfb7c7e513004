using Jackdaw.Search.Analysis;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Postings;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Matching;

/// <summary>Keys of terms of one field, in one array: what the values of a query become. Takes the terms of an analyzer.</summary>
internal sealed class TermKeys(FieldView of) : ITermSink
{
    private readonly List<(int From, int End, bool IsNumber)> _keys = [];
    private byte[] _bytes = [];
    private int _used;

    public FieldView Field => of;

    public int Count => _keys.Count;

    public ReadOnlySpan<byte> this[int index] => _bytes.AsSpan(_keys[index].From, _keys[index].End - _keys[index].From);

    /// <summary>Adds a text term.</summary>
    public void Add(ReadOnlySpan<byte> term, uint position)
    {
        Span<byte> key = stackalloc byte[TextKey.MaxBytes];
        AddKey(key[..TextKey.Write(term, key)], isNumber: false);
    }

    /// <summary>Adds a number.</summary>
    public void Add(SearchNumber number)
    {
        Span<byte> key = stackalloc byte[NumberKey.MaxBytes];
        AddKey(key[..NumberKey.Write(number, key)], isNumber: true);
    }

    /// <summary>Adds a mark.</summary>
    public void Add(TermMark mark) => AddKey(TextKey.Of(mark), isNumber: false);

    /// <summary>Takes back what was added behind the first so many.</summary>
    public void TakeBack(int count)
    {
        _keys.RemoveRange(count, _keys.Count - count);
        _used = count == 0 ? 0 : _keys[^1].End;
    }

    /// <summary>Brings the keys into the order of the dictionary and removes duplicates.</summary>
    public void Sort()
    {
        _keys.Sort(Compare);
        int kept = 0;
        for (int i = 0; i < _keys.Count; i++)
        {
            if (kept == 0 || Compare(_keys[kept - 1], _keys[i]) != 0)
                _keys[kept++] = _keys[i];
        }
        _keys.RemoveRange(kept, _keys.Count - kept);
    }

    /// <summary>Looks a term up. The value lies in page memory.</summary>
    public bool TryGet(int index, out BTree tree, out ReadOnlySpan<byte> value)
    {
        tree = _keys[index].IsNumber ? of.Numbers : of.Texts;
        return tree.TryGet(this[index], out value);
    }

    /// <summary>0: there is no such term.</summary>
    public long DocumentFrequency(int index) => TryGet(index, out _, out var value) ? new TermRecord(value).DocumentFrequency : 0;

    private int Compare((int From, int End, bool IsNumber) a, (int From, int End, bool IsNumber) b)
    {
        int order = a.IsNumber.CompareTo(b.IsNumber);
        return order != 0 ? order : _bytes.AsSpan(a.From, a.End - a.From).SequenceCompareTo(_bytes.AsSpan(b.From, b.End - b.From));
    }

    private void AddKey(ReadOnlySpan<byte> key, bool isNumber)
    {
        if (_bytes.Length - _used < key.Length)
            Array.Resize(ref _bytes, Math.Max(_used + key.Length, _bytes.Length * 2));
        key.CopyTo(_bytes.AsSpan(_used));
        _keys.Add((_used, _used + key.Length, isNumber));
        _used += key.Length;
    }
}
