using System.Text;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Storage.Tests.Trees;

/// <summary>A counted dictionary of terms, each with a posting set and a tree of its own, beside plain collections.</summary>
[Trait("Category", "Slow")]
public sealed class EmbeddedStructureModelTests(ITestOutputHelper output)
{
    private static readonly BTreeOptions Options = new() { KeepsCounts = true, Embeds = new EmbeddedStates(9, 2) };

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void A_dictionary_answers_as_plain_collections_do(int round)
    {
        int seed = Seeds.Of(round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        using var store = new HeapStore();
        var committed = new SortedDictionary<string, Term>(StringComparer.Ordinal);
        for (int batch = 0; batch < 25; batch++)
        {
            using var writer = store.BeginWrite();
            var model = new SortedDictionary<string, Term>(StringComparer.Ordinal);
            foreach (var (name, term) in committed)
                model.Add(name, term.Copy());
            bool shrinks = batch % 10 > 6;
            for (int i = random.Next(120); i > 0; i--)
                Change(writer, model, shrinks, random);
            Verify(writer, model);
            CheckedPages.RequireSound(writer);
            if (random.Next(4) == 0)
                continue; // rolled back
            writer.Commit();
            committed = model;
            using var reader = store.BeginRead();
            Verify(reader, model);
        }
        using var last = store.BeginWrite();
        last.Catalog.Drop("terms");
        CheckedPages.RequireSound(last);
        Assert.True(last.UsedPages <= 2);
    }

    private static void Change(PageTransaction writer, SortedDictionary<string, Term> model, bool shrinks, Random random)
    {
        var terms = writer.Catalog.OpenTree("terms", Options);
        string name = $"{new string('t', random.Next(2) * 600)}{random.Next(90)}";
        byte[] key = Encoding.UTF8.GetBytes(name);
        if (!model.TryGetValue(name, out var term) || random.Next(8) == 0)
        {
            byte[] value = Value(random);
            Assert.Equal(term is null, terms.Put(key, value));
            model[name] = value.Length < 137 || term is null || !term.Holds ? new Term(value) : term with { Value = value };
            return;
        }
        if (random.Next(10) < (shrinks ? 6 : 1))
        {
            Assert.True(terms.Delete(key));
            model.Remove(name);
            return;
        }
        if (!term.Holds)
            return;
        ChangeEmbedded(terms.Embedded, key, term, shrinks, random);
        if (random.Next(2) == 0)
            terms.Embedded.Close(key);
    }

    private static void ChangeEmbedded(EmbeddedStructures embedded, byte[] key, Term term, bool shrinks, Random random)
    {
        if (random.Next(15) == 0)
        {
            while (!embedded.DropSome(key, 0, 1 + random.Next(3))) { }
            term.Numbers.Clear();
        }
        var batch = new SortedSet<long>();
        for (int i = random.Next(random.Next(4) == 0 ? 5_000 : 20); i > 0; i--)
            batch.Add(random.NextInt64(random.Next(2) == 0 ? 20_000 : 1L << 40));
        var set = embedded.OpenPostingSet(key);
        if (shrinks)
        {
            set.Remove([.. batch]);
            term.Numbers.ExceptWith(batch);
        }
        else
        {
            set.Add([.. batch]);
            term.Numbers.UnionWith(batch);
        }
        var tree = embedded.OpenTree(key, 1, new BTreeOptions { KeepsCounts = true });
        for (int i = random.Next(60); i > 0; i--)
        {
            byte[] entry = KeyPattern.Random.Next(0, random)[..1];
            if (random.Next(100) < (shrinks ? 80 : 20))
                term.Tree.Delete(tree, entry);
            else
                term.Tree.Put(tree, entry, new byte[random.Next(400)]);
        }
    }

    private static void Verify(PageTransaction transaction, SortedDictionary<string, Term> model)
    {
        var terms = transaction.Catalog.OpenTree("terms", Options);
        Assert.Equal(model.Count, terms.EntryCount);
        int rank = 0;
        foreach (var (name, term) in model)
        {
            byte[] key = Encoding.UTF8.GetBytes(name);
            Assert.Equal(rank++, terms.Rank(key));
            Assert.True(terms.TryGet(key, out var value));
            Assert.True(value[..Math.Min(9, value.Length)].SequenceEqual(term.Value.AsSpan(0, Math.Min(9, term.Value.Length))));
            Assert.Equal(term.Value.Length, value.Length);
            if (!term.Holds)
                continue;
            Assert.True(value[137..].SequenceEqual(term.Value.AsSpan(137)));
            var numbers = new List<long>();
            var cursor = terms.Embedded.OpenPostingSet(key).OpenCursor();
            for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
                numbers.Add(cursor.Current);
            Assert.Equal(term.Numbers, numbers);
            term.Tree.RequireSameEntries(terms.Embedded.OpenTree(key, 1));
        }
    }

    private static byte[] Value(Random random)
    {
        var value = new byte[
            random.Next(8) switch
            {
                0 => 9 + random.Next(120),
                1 => random.Next(4_100, 8_000),
                2 => random.Next(10_000, 30_000),
                _ => 137 + random.Next(200),
            }
        ];
        random.NextBytes(value);
        return value;
    }

    private sealed record Term(byte[] Value)
    {
        public SortedSet<long> Numbers { get; private init; } = [];

        public TreeModel Tree { get; private init; } = new();

        public bool Holds => Value.Length >= 137;

        public Term Copy() => new(Value) { Numbers = [.. Numbers], Tree = new TreeModel(Tree) };
    }
}
