using System.Buffers.Binary;
using System.Collections.Immutable;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Simulation.Workloads;

/// <summary>A dictionary as an index keeps one: a tree that counts and adds up a number of its values, which embed a posting set and a tree
/// that counts too.</summary>
internal sealed class EmbeddingWorkload : IWorkload
{
    private const string Name = "terms";
    private const int Terms = 40;
    private const int Entries = 60;
    private static readonly BTreeOptions Counted = new() { KeepsCounts = true };
    private static readonly EmbeddedStates States = new(offset: 7, count: 2);
    private static readonly BTreeOptions Options = Counted with { SumsAt = 1, Embeds = States };

    public object Empty => ImmutableSortedDictionary<int, TermState>.Empty;

    public object Change(WriteTransaction transaction, object state, SimulatedRandom random)
    {
        var terms = (ImmutableSortedDictionary<int, TermState>)state;
        var tree = transaction.Catalog.OpenTree(Name, Options);
        var number = random.Next(Terms);
        Span<byte> key = stackalloc byte[MaxKeyBytes];
        key = key[..MakeKey(number, key)];
        if (!terms.TryGetValue(number, out var term) || random.OneIn(6))
        {
            var value = DrawValue(random);
            OracleException.Require(tree.Put(key, value.Bytes) == (term is null), $"terms: term {number} is new, or is not");
            var keeps = term is not null && States.AreIn(term.Value.Length) && States.AreIn(value.Length);
            return terms.SetItem(number, keeps ? term! with { Value = value } : TermState.With(value));
        }
        if (random.OneIn(8))
        {
            OracleException.Require(tree.Delete(key), $"terms: term {number} is not there to be deleted");
            return terms.Remove(number);
        }
        if (!States.AreIn(term.Value.Length))
            return terms;
        var embedded = tree.Embedded;
        term = random.Coin() ? ChangeNumbers(embedded, key, term, random) : ChangeEntries(embedded, key, term, random);
        if (random.Coin())
            embedded.Close(key);
        return terms.SetItem(number, term);
    }

    public object Clear(WriteTransaction transaction, object state)
    {
        while (!transaction.Catalog.DropSome(Name, maxPages: 5)) { }
        return Empty;
    }

    public void Verify(PageTransaction transaction, object state, double share, SimulatedRandom random)
    {
        var terms = (ImmutableSortedDictionary<int, TermState>)state;
        if (!transaction.Catalog.TryOpenTree(Name, out var tree))
        {
            OracleException.Require(terms.IsEmpty, "the terms are gone");
            return;
        }
        OracleException.Require(tree.EntryCount == terms.Count, $"there are {tree.EntryCount} terms instead of {terms.Count}");
        Span<byte> key = stackalloc byte[MaxKeyBytes];
        var rank = 0;
        var sum = 0L;
        foreach (var (number, term) in terms)
        {
            var length = MakeKey(number, key);
            OracleException.Require(tree.Rank(key[..length]) == rank++, $"terms: the rank of term {number} is wrong");
            OracleException.Require(tree.SumBefore(key[..length]) == sum, $"terms: the sum before term {number} is wrong");
            sum += NumberIn(term.Value.Bytes);
            if (share < 1 && random.NextDouble() > share)
                continue;
            VerifyTerm(tree, key[..length], number, term);
        }
    }

    public void Check(PageTransaction transaction, object state, IPageVisitor visitor)
    {
        // The catalog's own check visits the dictionary and what it embeds.
    }

    private static uint NumberIn(ReadOnlySpan<byte> value) =>
        value.Length < Options.SumsAt + sizeof(uint) ? 0 : BinaryPrimitives.ReadUInt32LittleEndian(value[Options.SumsAt!.Value..]);

    private static void VerifyTerm(BTree tree, ReadOnlySpan<byte> key, int number, TermState term)
    {
        OracleException.Require(
            tree.TryGet(key, out var value) && value.Length == term.Value.Length,
            $"terms: term {number} is missing, or its value is of another length"
        );
        var expected = term.Value.Bytes;
        var holds = States.AreIn(value.Length);
        OracleException.Require(
            holds
                ? value[..States.Offset].SequenceEqual(expected[..States.Offset])
                    && value[(States.Offset + States.Bytes)..].SequenceEqual(expected[(States.Offset + States.Bytes)..])
                : value.SequenceEqual(expected),
            $"terms: the value of term {number} is wrong"
        );
        if (!holds)
            return;
        var numbers = new long[term.Numbers.Count + 1];
        var set = tree.Embedded.OpenPostingSet(key).OpenCursor();
        set.SeekFirst();
        OracleException.Require(
            set.Read(numbers) == term.Numbers.Count && term.Numbers.SequenceEqual(numbers.Take(term.Numbers.Count)),
            $"terms: the postings of term {number} are wrong"
        );
        var entries = tree.Embedded.OpenTree(key, 1);
        OracleException.Require(entries.EntryCount == term.Entries.Count, $"terms: term {number} has {entries.EntryCount} entries");
        foreach (var (entry, stored) in term.Entries)
        {
            OracleException.Require(
                entries.TryGet(BitConverter.GetBytes(entry), out var found) && found.SequenceEqual(stored.Bytes),
                $"terms: entry {entry} of term {number} is wrong"
            );
        }
        tree.Embedded.Close(key);
    }

    private static TermState ChangeNumbers(EmbeddedStructures embedded, ReadOnlySpan<byte> key, TermState term, SimulatedRandom random)
    {
        if (random.OneIn(10))
        {
            while (!embedded.DropSome(key, maxPages: 1)) { }
            return term with { Numbers = [] };
        }
        var batch = new SortedSet<long>();
        for (var many = random.OneIn(6) ? random.Next(2_000) : random.Next(20); many > 0; many--)
            batch.Add(random.NextInt64(random.Coin() ? 3_000 : 1L << 36));
        var removes = random.OneIn(3);
        if (removes && random.Coin())
            batch = [.. term.Numbers];
        var set = embedded.OpenPostingSet(key);
        var after = removes ? term.Numbers.Except(batch) : term.Numbers.Union(batch);
        var changed = removes ? set.Remove([.. batch]) : set.Add([.. batch]);
        OracleException.Require(changed == Math.Abs(after.Count - term.Numbers.Count), $"terms: told of {changed} changes");
        return term with { Numbers = after };
    }

    private static TermState ChangeEntries(EmbeddedStructures embedded, ReadOnlySpan<byte> key, TermState term, SimulatedRandom random)
    {
        var entries = embedded.OpenTree(key, 1, Counted);
        var model = term.Entries;
        for (var many = random.Next(1, 8); many > 0; many--)
        {
            var entry = random.Next(Entries);
            if (random.OneIn(3))
            {
                OracleException.Require(
                    entries.Delete(BitConverter.GetBytes(entry)) == model.ContainsKey(entry),
                    $"terms: deleting entry {entry} tells wrongly whether it was there"
                );
                model = model.Remove(entry);
                continue;
            }
            var value = new Stored((uint)random.Next(Patterns.MaxLength), random.OneIn(10) ? random.Next(12_000) : random.Next(900));
            entries.Put(BitConverter.GetBytes(entry), value.Bytes);
            model = model.SetItem(entry, value);
        }
        return term with { Entries = model };
    }

    private static Stored DrawValue(SimulatedRandom random) =>
        new(
            (uint)random.Next(Patterns.MaxLength),
            random.Next(10) switch
            {
                0 => random.Next(States.Offset, States.Offset + States.Bytes),
                1 => random.Next(4_200, 20_000),
                _ => States.Offset + States.Bytes + random.Next(300),
            }
        );

    private const int MaxKeyBytes = 804;

    /// <summary>Four bytes that order, then a tail, so long that a few dozen terms make a tree of three levels.</summary>
    private static int MakeKey(int number, Span<byte> key)
    {
        BinaryPrimitives.WriteInt32BigEndian(key, number);
        var length = 4 + number % 3 * 400;
        key[4..length].Fill((byte)number);
        return length;
    }
}
