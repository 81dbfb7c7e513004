using System.Collections.Immutable;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Simulation.Workloads;

/// <summary>A posting set as an index keeps one a term: numbers added in ascending batches and here and there, removed here and
/// there and in ranges.</summary>
internal sealed class PostingWorkload : IWorkload
{
    private const string Name = "postings";
    private const int MaxNumbers = 6000;

    public object Empty => ImmutableSortedSet<long>.Empty;

    public object Change(WriteTransaction transaction, object state, SimulatedRandom random)
    {
        var numbers = (ImmutableSortedSet<long>)state;
        var set = transaction.Catalog.OpenPostingSet(Name);
        var batch = Draw(numbers, random, out var removes);
        var after = removes ? numbers.Except(batch) : numbers.Union(batch);
        var changed = removes ? set.Remove([.. batch]) : set.Add([.. batch]);
        OracleException.Require(
            changed == Math.Abs(after.Count - numbers.Count),
            $"postings: told of {changed} changes instead of {Math.Abs(after.Count - numbers.Count)}"
        );
        return after;
    }

    public object Clear(WriteTransaction transaction, object state)
    {
        transaction.Catalog.Drop(Name);
        return Empty;
    }

    public void Verify(PageTransaction transaction, object state, double share, SimulatedRandom random)
    {
        var numbers = (ImmutableSortedSet<long>)state;
        if (!transaction.Catalog.Contains(Name))
        {
            OracleException.Require(numbers.IsEmpty, "the postings are gone");
            return;
        }
        var set = transaction.Catalog.OpenPostingSet(Name);
        OracleException.Require(set.EntryCount == numbers.Count, $"there are {set.EntryCount} postings instead of {numbers.Count}");
        var near = random.NextInt64(1 + (numbers.IsEmpty ? 0 : numbers.Max));
        OracleException.Require(
            set.Contains(near) == numbers.Contains(near),
            $"postings: {near} is {(numbers.Contains(near) ? "missing" : "there")}"
        );
        var cursor = set.OpenCursor();
        var from = share >= 1 ? long.MinValue : near;
        var more = cursor.Seek(from);
        foreach (var number in share >= 1 ? numbers : numbers.Skip(FirstAtOrAfter(numbers, from)).Take(50))
        {
            OracleException.Require(more && cursor.Current == number, $"postings: {number} is missing, or there is one before it");
            more = cursor.MoveNext();
        }
        OracleException.Require(share < 1 || !more, "there is a posting too many");
    }

    public void Check(PageTransaction transaction, object state, IPageVisitor visitor)
    {
        // The catalog's own check visits the set.
    }

    private static SortedSet<long> Draw(ImmutableSortedSet<long> numbers, SimulatedRandom random, out bool removes)
    {
        var last = numbers.IsEmpty ? 0 : numbers.Max;
        var many = random.OneIn(8) ? random.Next(100, 1500) : random.Next(1, 30);
        removes = random.OneIn(3) || numbers.Count > MaxNumbers;
        var batch = new SortedSet<long>();
        // Close together, in small steps, or far apart: each is packed in its own way.
        var step = random.Next(4) switch
        {
            0 => 1,
            1 => 20,
            2 => 3000,
            _ => 1L << 33,
        };
        var number = removes || random.OneIn(3) ? random.NextInt64(last + 1) : last;
        for (; many > 0; many--)
        {
            if (removes && random.Coin() && !numbers.IsEmpty)
                batch.Add(numbers[random.Next(numbers.Count)]);
            else
                batch.Add(number += 1 + random.NextInt64(step));
        }
        return batch;
    }

    private static int FirstAtOrAfter(ImmutableSortedSet<long> numbers, long from)
    {
        var index = numbers.IndexOf(from);
        return index >= 0 ? index : ~index;
    }
}
