using System.Buffers;
using Jackdaw.Search.Analysis;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Postings;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Matching;

/// <summary>Keys of terms of one field, in one array: what the values of a query become. Takes the terms of an analyzer.</summary>
internal sealed class TermKeys(FieldView of) : ITermSink, IDisposable
{
    private KeyPlace[] _keys = ArrayPool<KeyPlace>.Shared.Rent(4);
    private byte[] _bytes = ArrayPool<byte>.Shared.Rent(256);
    private int _used;

    public FieldView Field => of;

    public int Count { get; private set; }

    public ReadOnlySpan<byte> this[int index] => BytesOf(_keys[index]);

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

    /// <summary>Adds a text term or a mark that another list has.</summary>
    public void AddKeyOf(TermKeys others, int index) => AddKey(others[index], isNumber: false);

    /// <summary>Takes back what was added behind the first so many.</summary>
    public void TakeBack(int count)
    {
        Count = count;
        _used = count == 0 ? 0 : _keys[count - 1].End;
    }

    /// <summary>Brings the keys into the order of the dictionary and removes duplicates.</summary>
    public void Sort()
    {
        _keys.AsSpan(0, Count).Sort(Compare);
        int kept = 0;
        for (int i = 0; i < Count; i++)
        {
            if (kept == 0 || Compare(_keys[kept - 1], _keys[i]) != 0)
                _keys[kept++] = _keys[i];
        }
        Count = kept;
    }

    /// <summary>Looks a term up. The value lies in page memory.</summary>
    public bool TryGet(int index, out BTree tree, out ReadOnlySpan<byte> value)
    {
        tree = _keys[index].IsNumber ? of.Numbers : of.Texts;
        return tree.TryGet(this[index], out value);
    }

    /// <summary>0: there is no such term.</summary>
    public long DocumentFrequency(int index) => TryGet(index, out _, out var value) ? new TermRecord(value).DocumentFrequency : 0;

    /// <inheritdoc/>
    public void Dispose()
    {
        ArrayPool<KeyPlace>.Shared.Return(_keys);
        ArrayPool<byte>.Shared.Return(_bytes);
        (_keys, _bytes, Count, _used) = ([], [], 0, 0);
    }

    private ReadOnlySpan<byte> BytesOf(KeyPlace key) => _bytes.AsSpan(key.From, key.End - key.From);

    private int Compare(KeyPlace a, KeyPlace b)
    {
        int order = a.IsNumber.CompareTo(b.IsNumber);
        return order != 0 ? order : BytesOf(a).SequenceCompareTo(BytesOf(b));
    }

    private void AddKey(ReadOnlySpan<byte> key, bool isNumber)
    {
        if (_bytes.Length - _used < key.Length)
            Grow(ref _bytes, _used, Math.Max(_used + key.Length, _bytes.Length * 2));
        if (Count == _keys.Length)
            Grow(ref _keys, Count, Count * 2);
        key.CopyTo(_bytes.AsSpan(_used));
        _keys[Count++] = new KeyPlace(_used, _used + key.Length, isNumber);
        _used += key.Length;
    }

    private static void Grow<T>(ref T[] array, int used, int length)
    {
        var larger = ArrayPool<T>.Shared.Rent(length);
        array.AsSpan(0, used).CopyTo(larger);
        ArrayPool<T>.Shared.Return(array);
        array = larger;
    }

    private readonly record struct KeyPlace(int From, int End, bool IsNumber);
}
