using System.Buffers.Binary;
using System.Collections.Immutable;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Simulation.Workloads;

/// <summary>A B+tree with short and long keys, values from nothing to overflow runs, ascending and random.</summary>
internal sealed class TreeWorkload : IWorkload
{
    private const string Name = "tree";
    private const int Keys = 150;

    public object Empty => ImmutableSortedDictionary<int, Stored>.Empty;

    public object Change(WriteTransaction transaction, object state, SimulatedRandom random)
    {
        var entries = (ImmutableSortedDictionary<int, Stored>)state;
        var tree = transaction.Catalog.OpenTree(Name);
        var number = random.Next(Keys);
        Span<byte> key = stackalloc byte[64];
        key = key[..MakeKey(number, key)];
        if (random.OneIn(3))
        {
            OracleException.Require(
                tree.Delete(key) == entries.ContainsKey(number),
                $"tree: deleting key {number} tells wrongly whether it was there"
            );
            return entries.Remove(number);
        }
        var value = new Stored(
            (uint)random.Next(Patterns.MaxLength),
            random.Next(12) switch
            {
                0 => 0,
                < 8 => random.Next(200),
                < 11 => random.Next(3000),
                _ => random.Next(40_000),
            }
        );
        OracleException.Require(
            tree.Put(key, value.Bytes) == !entries.ContainsKey(number),
            $"tree: putting key {number} tells wrongly whether it is new"
        );
        return entries.SetItem(number, value);
    }

    public object Clear(WriteTransaction transaction, object state)
    {
        transaction.Catalog.Drop(Name);
        return Empty;
    }

    public void Verify(PageTransaction transaction, object state, double share, SimulatedRandom random)
    {
        var entries = (ImmutableSortedDictionary<int, Stored>)state;
        Span<byte> key = stackalloc byte[64];
        if (!transaction.Catalog.TryOpenTree(Name, out var tree))
        {
            OracleException.Require(entries.IsEmpty, "the tree is gone");
            return;
        }
        OracleException.Require(tree.EntryCount == entries.Count, $"the tree has {tree.EntryCount} entries instead of {entries.Count}");
        if (share < 1)
        {
            var number = random.Next(Keys);
            var found = tree.TryGet(key[..MakeKey(number, key)], out var value);
            OracleException.Require(
                found == entries.TryGetValue(number, out var stored) && (!found || value.SequenceEqual(stored.Bytes)),
                $"tree: key {number} is wrong"
            );
            return;
        }
        using var cursor = tree.OpenCursor();
        var more = cursor.SeekFirst();
        foreach (var (number, stored) in entries)
        {
            OracleException.Require(more && cursor.Key.SequenceEqual(key[..MakeKey(number, key)]), $"tree: key {number} is missing");
            OracleException.Require(cursor.Value.SequenceEqual(stored.Bytes), $"tree: the value of key {number} is wrong");
            more = cursor.MoveNext();
        }
        OracleException.Require(!more, "the tree has an entry too many");
    }

    public void Check(PageTransaction transaction, object state, IPageVisitor visitor)
    {
        // The catalog's own check visits the tree.
    }

    /// <summary>Four bytes that order, then a tail whose length depends on the number.</summary>
    private static int MakeKey(int number, Span<byte> key)
    {
        BinaryPrimitives.WriteInt32BigEndian(key, number);
        var length = 4 + number * 7 % 40;
        key[4..length].Fill((byte)number);
        return length;
    }
}
