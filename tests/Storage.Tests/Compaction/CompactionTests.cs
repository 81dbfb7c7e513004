using Jackdaw.Storage.Checking;
using Jackdaw.Storage.Compaction;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Tests.Checking;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Storage.Tests.Compaction;

public sealed class CompactionTests(ITestOutputHelper output) : IDisposable
{
    private readonly EnvironmentFolder _source = new();
    private readonly EnvironmentFolder _target = new();

    public void Dispose()
    {
        _source.Dispose();
        _target.Dispose();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public unsafe void A_compacted_environment_holds_the_same_in_fewer_pages(int round)
    {
        int seed = Seeds.Of(round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        var id = new byte[16];
        random.NextBytes(id);
        for (int i = 0; i < 15; i++)
            _source.Write(tx => RandomWork.Do(tx, random));
        _source.Write(tx => OwnersId(tx.ModifyPage(PageLayout.MetaPage), id));

        var reports = new List<CompactionProgress>();
        _source.Environment.CompactInto(_target.Environment, reports.Add);
        _target.Reopen(_ => { });

        using var before = _source.Environment.BeginRead("test");
        using var after = _target.Environment.BeginRead("test");
        Assert.Equal(Contents(before), Contents(after));
        Assert.Equal(id, new ReadOnlySpan<byte>(after.ReadPage(PageLayout.MetaPage) + PageLayout.OwnersIdOffset, 16));
        CheckReport was = _source.Environment.Check([]);
        CheckReport now = _target.Environment.Check([]);
        Assert.True(now.IsSound, string.Join(Environment.NewLine, now.Findings));
        Assert.True(now.PageCount - now.FreePages <= was.PageCount - was.FreePages);
        Assert.Equal(
            (reports[^1].EntriesTotal, reports[^1].EntriesTotal),
            (reports[^1].EntriesCopied, was.Structures.Skip(3).Sum(structure => structure.Entries))
        );
    }

    [Fact]
    public void Batches_are_bounded_and_copy_everything_once()
    {
        _source.Write(tx =>
        {
            FixedSizeTree<long> numbers = tx.Catalog.OpenFixedTree<long>("numbers");
            for (int i = 0; i < 1_000; i++)
                numbers.Put(i, i);
            tx.Catalog.OpenTree("empty");
        });
        using var reader = _source.Environment.BeginRead("test");
        using var copier = new StructureCopier(reader);
        using var target = new HeapStore();
        int batches = 0;
        bool more = true;
        while (more)
        {
            using HeapPages tx = target.BeginWrite();
            more = copier.CopyBatch(tx, maxBytes: 1_600);
            batches++;
            Assert.Equal(Math.Min(batches * 100, 1_000), tx.Catalog.OpenFixedTree<long>("numbers").EntryCount);
            tx.Commit();
        }
        Assert.Equal(11, batches);
        using HeapPages copy = target.BeginRead();
        Assert.Equal(["empty", "numbers"], copy.Catalog.Entries().Select(entry => entry.Name));
    }

    private static unsafe void OwnersId(byte* meta, byte[] id) => id.CopyTo(new Span<byte>(meta + PageLayout.OwnersIdOffset, id.Length));

    /// <summary>The value; where it embeds a set, the numbers instead of its state.</summary>
    private static string ValueOf(BTree tree, BTreeCursor cursor)
    {
        byte[] value = cursor.Value.ToArray();
        var layout = tree.Options.Embeds;
        if (layout.Count == 0 || !layout.AreIn(value.Length))
            return Convert.ToHexString(value);
        value.AsSpan(layout.Offset, layout.Bytes).Clear();
        var numbers = new List<long>();
        var set = tree.Embedded.OpenPostingSet(cursor.Key).OpenCursor();
        for (bool any = set.SeekFirst(); any; any = set.MoveNext())
            numbers.Add(set.Current);
        return $"{Convert.ToHexString(value)}: {string.Join(' ', numbers)}";
    }

    /// <summary>Every entry of every structure, as text.</summary>
    private static List<string> Contents(PageTransaction tx)
    {
        var contents = new List<string>();
        foreach (Structure structure in tx.Catalog.Structures().Skip(1))
        {
            contents.Add($"{structure.Kind} {structure.Name}: {structure.EntryCount}");
            if (structure is BTree tree)
            {
                using BTreeCursor cursor = tree.OpenCursor();
                for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
                    contents.Add($"{Convert.ToHexString(cursor.Key)} {ValueOf(tree, cursor)}");
            }
            else if (structure is PostingSet set)
            {
                PostingCursor cursor = set.OpenCursor();
                for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
                    contents.Add($"{cursor.Current}");
            }
            else
            {
                var cursor = tx.Catalog.OpenFixedTree<long>(structure.Name).OpenCursor();
                for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
                    contents.Add($"{cursor.Key} {cursor.Value}");
            }
        }
        return contents;
    }
}
