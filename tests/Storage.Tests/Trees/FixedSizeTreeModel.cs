using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Trees;

/// <summary>A fixed-size tree beside a sorted map: random phases of filling and emptying, some transactions aborted, a reader of
/// the state before.</summary>
internal sealed class FixedSizeTreeModel<TValue> : IDisposable
    where TValue : unmanaged
{
    private readonly HeapStore _store = new();
    private readonly Random _random;
    private readonly Func<Random, TValue> _newValue;
    private readonly int _keySpace;
    private SortedDictionary<long, TValue> _committed = [];
    private TreeState _state = new() { Kind = StructureKind.FixedSizeTree };

    public FixedSizeTreeModel(int seed, Func<Random, TValue> newValue, int keySpace)
    {
        _random = new Random(seed);
        _newValue = newValue;
        _keySpace = keySpace;
    }

    public int MostEntries { get; private set; }

    public int Aborted { get; private set; }

    public void RunTransaction()
    {
        using var reader = _store.BeginRead();
        var (_, before) = Open(reader);
        using var tx = _store.BeginWrite();
        var (core, tree) = Open(tx);
        var expected = new SortedDictionary<long, TValue>(_committed);
        for (int phase = _random.Next(1, 4); phase > 0; phase--)
            RunPhase(tree, expected);
        CollectingVisitor.Verify(core);
        Compare(tree, expected);
        if (_random.Next(4) == 0)
        {
            Aborted++;
        }
        else
        {
            Compare(before, _committed);
            Assert.Equal(tree.PageCount + 1, tx.UsedPages);
            tx.Commit();
            _committed = expected;
            _state = core.State;
        }
        MostEntries = Math.Max(MostEntries, expected.Count);
    }

    public void Dispose() => _store.Dispose();

    private (FixedSizeTree Core, FixedSizeTree<TValue> Tree) Open(HeapPages tx)
    {
        var core = new FixedSizeTree(tx, "model") { State = _state };
        return (core, new FixedSizeTree<TValue>(core));
    }

    private void RunPhase(FixedSizeTree<TValue> tree, SortedDictionary<long, TValue> expected)
    {
        int count = _random.Next(1, _keySpace / 4);
        switch (_random.Next(6))
        {
            case 0: // ascending behind the last key, while there is room below the end
                long next = expected.Count == 0 ? -_keySpace / 2 : expected.Keys.Last() + 1;
                for (int i = 0; i < count && next < _keySpace / 2; i++)
                    Put(tree, expected, next++);
                break;
            case 1: // a range goes
                long from = RandomKey();
                foreach (long key in expected.Keys.Where(key => key >= from).Take(count).ToArray())
                    Delete(tree, expected, key);
                break;
            case 2: // most of it goes
                foreach (long key in expected.Keys.Where(_ => _random.Next(10) > 0).ToArray())
                    Delete(tree, expected, key);
                break;
            case 3:
                for (int i = 0; i < count; i++)
                    Put(tree, expected, RandomKey());
                break;
            default:
                for (int i = 0; i < count / 2; i++)
                    if (_random.Next(2) == 0)
                        Put(tree, expected, RandomKey());
                    else
                        Delete(tree, expected, RandomKey());
                break;
        }
        if (_random.Next(20) == 0)
        {
            Put(tree, expected, long.MaxValue);
            Put(tree, expected, long.MinValue);
        }
    }

    private long RandomKey() => _random.Next(_keySpace) - (_keySpace / 2);

    private void Put(FixedSizeTree<TValue> tree, SortedDictionary<long, TValue> expected, long key)
    {
        TValue value = _newValue(_random);
        Assert.Equal(!expected.ContainsKey(key), tree.Put(key, value));
        expected[key] = value;
    }

    private static void Delete(FixedSizeTree<TValue> tree, SortedDictionary<long, TValue> expected, long key) =>
        Assert.Equal(expected.Remove(key), tree.Delete(key));

    private void Compare(FixedSizeTree<TValue> tree, SortedDictionary<long, TValue> expected)
    {
        Assert.Equal(expected.Count, tree.EntryCount);
        var cursor = tree.OpenCursor();
        bool any = cursor.SeekFirst();
        foreach (var (key, value) in expected)
        {
            Assert.True(any && cursor.Key == key && Same(cursor.Value, value), $"forward at {key}");
            any = cursor.MoveNext();
        }
        Assert.False(any);
        any = cursor.SeekLast();
        foreach (long key in expected.Keys.Reverse())
        {
            Assert.True(any && cursor.Key == key, $"backward at {key}");
            any = cursor.MovePrevious();
        }
        Assert.False(any);
        long[] keys = [.. expected.Keys];
        for (int i = 0; i < 200; i++)
        {
            long key = RandomKey();
            int at = Array.BinarySearch(keys, key);
            Assert.Equal(at >= 0, tree.TryGet(key, out TValue value));
            Assert.True(at < 0 || Same(value, expected[key]));
            at = at < 0 ? ~at : at;
            Assert.Equal(at < keys.Length, cursor.Seek(key));
            if (at == keys.Length)
                continue;
            Assert.Equal(keys[at], cursor.Key);
            Assert.Equal(at > 0, cursor.MovePrevious());
            if (at > 0)
                Assert.Equal(keys[at - 1], cursor.Key);
        }
    }

    private static bool Same(TValue a, TValue b) => EqualityComparer<TValue>.Default.Equals(a, b);
}
