using System.Collections.Immutable;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Simulation.Workloads;

/// <summary>A fixed-size tree used as a log of ascending numbers is: appended at the end, removed at the beginning and in
/// between.</summary>
internal sealed class FixedTreeWorkload : IWorkload
{
    private const string Name = "log";
    private const int MaxEntries = 3000;

    public object Empty => ImmutableSortedDictionary<long, long>.Empty;

    public object Change(WriteTransaction transaction, object state, SimulatedRandom random)
    {
        var entries = ((ImmutableSortedDictionary<long, long>)state).ToBuilder();
        var tree = transaction.Catalog.OpenFixedTree<long>(Name);
        var last = entries.Count > 0 ? entries.Keys.Last() : 0;
        var many = random.OneIn(10) ? random.Next(10, 400) : random.Next(1, 6);
        var removes = random.OneIn(3) || entries.Count > MaxEntries;
        for (; many > 0; many--)
        {
            if (!removes)
            {
                var value = (long)random.NextUInt64();
                OracleException.Require(tree.Put(++last, value), $"log: {last} is not new");
                entries.Add(last, value);
            }
            else if (entries.Count > 0)
            {
                var key = random.Coin() ? entries.Keys.First() : entries.Keys.ElementAt(random.Next(Math.Min(entries.Count, 50)));
                OracleException.Require(tree.Delete(key), $"log: {key} is not there to be deleted");
                entries.Remove(key);
            }
        }
        return entries.ToImmutable();
    }

    public object Clear(WriteTransaction transaction, object state)
    {
        transaction.Catalog.Drop(Name);
        return Empty;
    }

    public void Verify(PageTransaction transaction, object state, double share, SimulatedRandom random)
    {
        var entries = (ImmutableSortedDictionary<long, long>)state;
        if (!transaction.Catalog.Contains(Name))
        {
            OracleException.Require(entries.IsEmpty, "the log is gone");
            return;
        }
        var tree = transaction.Catalog.OpenFixedTree<long>(Name);
        OracleException.Require(tree.EntryCount == entries.Count, $"the log has {tree.EntryCount} entries instead of {entries.Count}");
        var cursor = tree.OpenCursor();
        var from = share >= 1 || entries.IsEmpty ? long.MinValue : entries.Keys.First() + random.Next(entries.Count);
        var more = cursor.Seek(from);
        var checkedEntries = 0;
        foreach (var (key, value) in share >= 1 ? entries : entries.Where(e => e.Key >= from).Take(20))
        {
            OracleException.Require(more && cursor.Key == key && cursor.Value == value, $"log: entry {key} is wrong");
            more = cursor.MoveNext();
            checkedEntries++;
        }
        OracleException.Require(share < 1 || !more, "the log has an entry too many");
    }

    public void Check(PageTransaction transaction, object state, IPageVisitor visitor)
    {
        // The catalog's own check visits the tree.
    }
}
