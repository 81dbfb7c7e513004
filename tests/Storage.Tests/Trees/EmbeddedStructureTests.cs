using System.Text;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Trees;

/// <summary>Structures in values of other structures: who owns them, when their states are written, what becomes of them.</summary>
public sealed class EmbeddedStructureTests : IDisposable
{
    private static readonly BTreeOptions Options = new() { Embeds = new EmbeddedStates(5, 2) };

    private readonly HeapStore _store = new();

    public void Dispose() => _store.Dispose();

    [Fact]
    public void A_state_is_written_into_its_value_once_when_the_structure_is_closed()
    {
        using var writer = _store.BeginWrite();
        var terms = Terms(writer, "a", "b");
        byte[] before = ValueOf(terms, "a");
        var set = terms.Embedded.OpenPostingSet("a"u8);
        for (int i = 0; i < 1_000; i++)
            set.Add([i * 7L]);
        Assert.Equal(before, ValueOf(terms, "a"));
        Assert.Same(set, terms.Embedded.OpenPostingSet("a"u8));
        terms.Embedded.Close("a"u8);
        Assert.NotEqual(before, ValueOf(terms, "a"));
        Assert.Equal(0, terms.Embedded.OpenCount);
        Assert.Equal(1_000, terms.Embedded.OpenPostingSet("a"u8).EntryCount);
        Assert.Equal(StructureKind.None, terms.Embedded.KindOf("b"u8));
    }

    [Fact]
    public void What_is_left_open_is_written_at_commit_and_forgotten_by_an_abort()
    {
        using (var writer = _store.BeginWrite())
        {
            Terms(writer, "a").Embedded.OpenPostingSet("a"u8, 1).Add([1, 2, 3]);
            writer.Commit();
        }
        using (var aborted = _store.BeginWrite())
            Terms(aborted).Embedded.OpenPostingSet("a"u8, 1).Add([4, 5, 6]);
        using var reader = _store.BeginRead();
        Assert.Equal(3, Terms(reader).Embedded.OpenPostingSet("a"u8, 1).EntryCount);
        RequireSound();
    }

    [Fact]
    public void The_states_in_a_value_are_the_engines_and_the_rest_is_the_callers()
    {
        using var writer = _store.BeginWrite();
        var terms = Terms(writer, "a");
        terms.Embedded.OpenPostingSet("a"u8).Add([1, 2, 3]);
        terms.Embedded.Close("a"u8);
        byte[] value = new byte[300];
        value.AsSpan().Fill(0xAB);
        terms.Put("a"u8, value);
        byte[] stored = ValueOf(terms, "a");
        Assert.Equal(value.AsSpan(0, 5), stored.AsSpan(0, 5));
        Assert.Equal(value.AsSpan(5 + 128), stored.AsSpan(5 + 128));
        Assert.Equal(3, terms.Embedded.OpenPostingSet("a"u8).EntryCount);
        terms.Put("new"u8, value);
        Assert.Equal(StructureKind.None, terms.Embedded.KindOf("new"u8));
        Assert.Throws<InvariantViolationException>(() => terms.Reserve("a"u8, 200, out _).Length);
        CheckedPages.RequireSound(writer);
    }

    [Theory]
    [InlineData("deleted")]
    [InlineData("too short")]
    [InlineData("cleared")]
    [InlineData("dropped")]
    [InlineData("dropped alone")]
    public void Structures_go_with_the_value_that_holds_them(string end)
    {
        foreach (bool open in (bool[])[false, true])
        {
            using var writer = _store.BeginWrite();
            var terms = Terms(writer, "a", "b");
            FillAll(terms, "a");
            if (!open)
                terms.Embedded.Close("a"u8);
            Assert.True(writer.UsedPages > 20);
            _ = end switch
            {
                "deleted" => terms.Delete("a"u8),
                "too short" => terms.Put("a"u8, new byte[132]),
                "cleared" => Clear(terms),
                "dropped" => writer.Catalog.Drop("terms"),
                _ => terms.Embedded.DropSome("a"u8) && terms.Embedded.DropSome("a"u8, 1),
            };
            CheckedPages.RequireSound(writer);
            Assert.True(writer.UsedPages <= 3, $"{writer.UsedPages} pages are in use");
        }
    }

    [Fact]
    public void An_emptied_structure_owns_no_pages()
    {
        using var writer = _store.BeginWrite();
        var terms = Terms(writer, "a");
        var set = terms.Embedded.OpenPostingSet("a"u8);
        var tree = terms.Embedded.OpenTree("a"u8, 1, new BTreeOptions { KeepsCounts = true });
        long before = writer.UsedPages;
        set.Add([1, 2]);
        tree.Put([1], [1]);
        set.Remove([1, 2]);
        tree.Delete([1]);
        Assert.True(writer.UsedPages > before);
        terms.Embedded.Close("a"u8);
        Assert.Equal(before, writer.UsedPages);
        Assert.True(terms.Embedded.OpenTree("a"u8, 1).KeepsCounts);
        CheckedPages.RequireSound(writer);
    }

    [Fact]
    public void A_large_parent_is_dropped_in_bounded_pieces_each_of_which_leaves_a_sound_rest()
    {
        using (var writer = _store.BeginWrite())
        {
            var terms = Terms(writer, [.. Enumerable.Range(0, 120).Select(i => $"term {i:D3}")]);
            for (int i = 0; i < 120; i += 3)
                FillAll(terms, $"term {i:D3}");
            writer.Commit();
        }
        int pieces = 0;
        bool isGone = false;
        long left = long.MaxValue;
        while (!isGone)
        {
            using var writer = _store.BeginWrite();
            long before = writer.UsedPages;
            isGone = writer.Catalog.DropSome("terms", 25);
            Assert.InRange(before - writer.UsedPages, 1, 40);
            CheckedPages.RequireSound(writer);
            Assert.True(before <= left);
            left = before;
            if (pieces++ % 3 != 1)
                writer.Commit();
            else
                isGone = false; // rolled back
        }
        using var reader = _store.BeginRead();
        Assert.False(reader.Catalog.Contains("terms"));
        Assert.True(pieces > 20, $"{pieces} pieces");
    }

    [Fact]
    public void Structures_are_embedded_four_deep_and_no_deeper()
    {
        using var writer = _store.BeginWrite();
        var tree = Terms(writer, "a");
        for (int depth = 1; depth < EmbeddedStates.MaxNesting; depth++)
        {
            tree = tree.Embedded.OpenTree("a"u8, 0, Options);
            tree.Put("a"u8, new byte[200]);
        }
        var deepest = tree.Embedded.OpenTree("a"u8, 0, Options);
        deepest.Put("a"u8, new byte[200]);
        Assert.Throws<InvariantViolationException>(() => deepest.Embedded.OpenPostingSet("a"u8));
        CheckedPages.RequireSound(writer);
        Assert.True(writer.UsedPages >= 6);
        Terms(writer).Delete("a"u8);
        CheckedPages.RequireSound(writer);
        Assert.Equal(3, writer.UsedPages);
    }

    [Fact]
    public void Two_states_that_lead_to_the_same_pages_are_found()
    {
        var problems = ProblemsAfter(terms => terms.WriteEmbedded("b"u8, 0, terms.Embedded.StateOf("a"u8, 0)));
        Assert.Contains(problems, problem => problem.Contains("two owners", StringComparison.Ordinal));
    }

    [Fact]
    public void A_state_that_counts_wrong_is_found()
    {
        var problems = ProblemsAfter(terms =>
        {
            var state = terms.Embedded.StateOf("a"u8, 0);
            state.EntryCount++;
            terms.WriteEmbedded("a"u8, 0, state);
        });
        Assert.Contains(problems, problem => problem.Contains("terms['a']", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(9, 0)]
    [InlineData(1, 63)]
    [InlineData(2, 1)]
    public void A_state_that_is_none_is_found(byte kind, int reserved)
    {
        var problems = ProblemsAfter(terms =>
        {
            var state = terms.Embedded.StateOf("b"u8, 0);
            state.Kind = (StructureKind)kind;
            if (reserved > 0)
                System.Runtime.InteropServices.MemoryMarshal.AsBytes(new Span<TreeState>(ref state))[reserved] = 1;
            terms.WriteEmbedded("b"u8, 0, state);
        });
        Assert.Single(problems);
    }

    [Fact]
    public void A_state_without_entries_that_has_pages_is_found()
    {
        var problems = ProblemsAfter(terms =>
        {
            var tree = terms.Embedded.OpenTree("b"u8);
            tree.Put([1], [1]);
            tree.Delete([1]);
            terms.WriteEmbedded("b"u8, 0, tree.State);
            tree.State = default;
            tree.IsChanged = false;
        });
        Assert.Contains(problems, problem => problem.Contains("has no entries and 1 pages", StringComparison.Ordinal));
    }

    private static bool Clear(BTree terms)
    {
        terms.Clear();
        return true;
    }

    private List<string> ProblemsAfter(Action<BTree> damage)
    {
        using (var writer = _store.BeginWrite())
        {
            Terms(writer, "a", "b").Embedded.OpenPostingSet("a"u8).Add([1, 2, 3]);
            writer.Commit();
        }
        using (var writer = _store.BeginWrite())
        {
            damage(Terms(writer));
            writer.Commit();
        }
        using var reader = _store.BeginRead();
        return CheckedPages.ProblemsOf(reader, Terms(reader));
    }

    private void RequireSound()
    {
        using var writer = _store.BeginWrite();
        CheckedPages.RequireSound(writer);
    }

    private static BTree Terms(PageTransaction transaction, params string[] added)
    {
        var terms = transaction.Catalog.OpenTree("terms", Options);
        foreach (string term in added)
            terms.Put(Encoding.UTF8.GetBytes(term), new byte[133 + term.Length]);
        return terms;
    }

    /// <summary>A set and a tree of several levels and with an overflow run, in both of the value's states.</summary>
    private static void FillAll(BTree terms, string term)
    {
        byte[] key = Encoding.UTF8.GetBytes(term);
        terms.Embedded.OpenPostingSet(key).Add([.. Enumerable.Range(0, 20_000).Select(i => (long)i * i * 1_001)]);
        var tree = terms.Embedded.OpenTree(key, 1);
        for (int i = 0; i < 40; i++)
            tree.Put([(byte)i], new byte[i % 10 == 0 ? 20_000 : 1_000]);
    }

    private static byte[] ValueOf(BTree terms, string term)
    {
        Assert.True(terms.TryGet(Encoding.UTF8.GetBytes(term), out var value));
        return value.ToArray();
    }
}
