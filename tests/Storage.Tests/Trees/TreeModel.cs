using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Trees;

/// <summary>A tree beside a sorted dictionary: every operation goes to both, and what they answer must agree.</summary>
internal sealed class TreeModel
{
    private sealed class ByteOrder : IComparer<byte[]>
    {
        public int Compare(byte[]? x, byte[]? y) => x.AsSpan().SequenceCompareTo(y);
    }

    private readonly SortedDictionary<byte[], byte[]> _expected = new(new ByteOrder());

    public TreeModel() { }

    public TreeModel(TreeModel copied)
    {
        foreach (var (key, value) in copied._expected)
            _expected.Add(key, value);
    }

    public int Count => _expected.Count;

    /// <summary>The first entries of it.</summary>
    public TreeModel First(long count)
    {
        var first = new TreeModel();
        foreach (var (key, value) in _expected.Take((int)count))
            first._expected.Add(key, value);
        return first;
    }

    public IEnumerable<byte[]> Keys => _expected.Keys;

    public void Put(BTree tree, byte[] key, byte[] value)
    {
        bool isNew = !_expected.ContainsKey(key);
        _expected[key] = value;
        Assert.Equal(isNew, tree.Put(key, value));
    }

    public void Delete(BTree tree, byte[] key) => Assert.Equal(_expected.Remove(key), tree.Delete(key));

    public void RequireValue(BTree tree, byte[] key)
    {
        bool expected = _expected.TryGetValue(key, out byte[]? value);
        Assert.Equal(expected, tree.TryGet(key, out var found));
        if (expected)
            Assert.True(found.SequenceEqual(value), "the value differs");
    }

    /// <summary>Same entries forward and backward.</summary>
    public void RequireSameEntries(BTree tree)
    {
        Assert.Equal(_expected.Count, tree.EntryCount);
        using var cursor = tree.OpenCursor();
        bool any = cursor.SeekFirst();
        foreach (var (key, value) in _expected)
        {
            Assert.True(any && cursor.Key.SequenceEqual(key) && cursor.Value.SequenceEqual(value), "forward walk differs");
            any = cursor.MoveNext();
        }
        Assert.False(any);
        any = cursor.SeekLast();
        foreach (byte[] key in _expected.Keys.Reverse())
        {
            Assert.True(any && cursor.Key.SequenceEqual(key), "backward walk differs");
            any = cursor.MovePrevious();
        }
        Assert.False(any);
    }

    /// <summary>Seeking lands on the first key not before the sought one.</summary>
    public void RequireSeek(BTree tree, byte[] sought)
    {
        byte[]? expected = _expected.Keys.FirstOrDefault(key => key.AsSpan().SequenceCompareTo(sought) >= 0);
        using var cursor = tree.OpenCursor();
        Assert.Equal(expected is not null, cursor.Seek(sought));
        if (expected is not null)
            Assert.True(cursor.Key.SequenceEqual(expected), "seek landed elsewhere");
    }
}
