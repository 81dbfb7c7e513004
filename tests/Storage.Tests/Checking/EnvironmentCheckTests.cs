using Jackdaw.Storage.Checking;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Space;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Storage.Tests.Checking;

public sealed class EnvironmentCheckTests(ITestOutputHelper output) : IDisposable
{
    private readonly EnvironmentFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_new_environment_is_sound()
    {
        CheckReport report = Check();
        Assert.True(report.IsSound);
        Assert.Equal(["(meta)", "(free space)", "(catalog)"], report.Structures.Select(structure => structure.Name));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void After_any_work_every_page_is_owned_once_or_free(int round)
    {
        int seed = Seeds.Of(round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        for (int i = 0; i < 12; i++)
        {
            if (random.Next(4) == 0)
            {
                using var aborted = _folder.Environment.BeginWrite();
                RandomWork.Do(aborted, random);
            }
            _folder.Write(tx => RandomWork.Do(tx, random));
            CheckReport report = Check();
            Assert.True(report.IsSound, string.Join(Environment.NewLine, report.Findings));
            Assert.Equal(report.PageCount, report.FreePages + report.Structures.Sum(structure => structure.PageCount));
            if (i % 4 == 3)
                _folder.Reopen(_ => { });
        }
        var text = new StringWriter();
        Check().WriteTo(text);
        output.WriteLine(text.ToString());
        Assert.Contains("numbers", text.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public unsafe void A_page_that_nothing_owns_is_found()
    {
        long lost = 0;
        _folder.Write(tx =>
        {
            byte* page = tx.AllocatePages(3, PageKind.Overflow, out lost);
            ((PageHeader*)page)->PayloadBytes = 3 * PageLayout.PageSize - PageLayout.HeaderSize;
        });
        CheckFinding finding = Assert.Single(Check().Findings);
        Assert.Equal((lost, lost * PageLayout.PageSize), (finding.Page, finding.FileOffset));
        Assert.Contains("nothing owns it", finding.Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void A_page_in_use_that_the_bitmap_calls_free_is_found()
    {
        long root = 0;
        _folder.Write(tx => root = Numbers(tx, 10).Root);
        _folder.Write(tx => new FreeSpace(new FreeSpaceHints()).Free(tx, root, 1));
        CheckFinding finding = Assert.Single(Check().Findings);
        Assert.Equal(root, finding.Page);
        Assert.Contains("calls it free", finding.Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void A_page_with_two_owners_is_found()
    {
        _folder.Write(tx =>
        {
            Numbers(tx, 10);
            var (_, copy) = Open(tx, "other");
            copy.State = Open(tx, "numbers").Core.State;
            copy.IsChanged = true;
        });
        // By name, "other" comes behind "numbers".
        CheckReport report = Check();
        Assert.Contains(
            report.Findings,
            finding => finding.Structure == "other" && finding.Problem.Contains("another owner", StringComparison.Ordinal)
        );
        Assert.All(report.Findings, finding => Assert.Equal("other", finding.Structure));
    }

    [Fact]
    public void A_bitmap_that_counts_wrong_is_found()
    {
        _folder.Write(tx =>
        {
            unsafe
            {
                ((PageHeader*)tx.ModifyPage(1))->Count += 5;
            }
        });
        Assert.Contains(Check().Findings, finding => finding is { Structure: "(free space)", Page: 1 });
    }

    [Fact]
    public void A_flipped_bit_on_the_disk_is_found_and_what_lies_under_it_is_not_called_lost()
    {
        long root = 0;
        _folder.Write(tx =>
        {
            root = Numbers(tx, 5_000).Root;
            tx.Catalog.OpenTree("whole").Put("key"u8, new byte[50_000]);
        });
        _folder.Reopen(path =>
        {
            using var file = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite);
            Span<byte> one = stackalloc byte[1];
            long offset = root * PageLayout.PageSize + 1234;
            RandomAccess.Read(file, one, offset);
            one[0] ^= 4;
            RandomAccess.Write(file, one, offset);
        });
        CheckReport report = Check();
        CheckFinding first = report.Findings[0];
        Assert.Equal(("numbers", root, root * PageLayout.PageSize), (first.Structure, first.Page, first.FileOffset));
        Assert.Contains("checksum", first.Problem, StringComparison.Ordinal);
        Assert.All(report.Findings, finding => Assert.Equal("numbers", finding.Structure));
        Assert.Contains(report.Structures, structure => structure is { Name: "whole", PageCount: 8 });
    }

    private CheckReport Check() => _folder.Environment.Check([]);

    private static (long Root, FixedSizeTree<long> Tree) Numbers(PageTransaction tx, int count)
    {
        var (tree, core) = Open(tx, "numbers");
        for (int i = 0; i < count; i++)
            tree.Put(i, i);
        return (core.State.RootPage, tree);
    }

    private static (FixedSizeTree<long> Tree, FixedSizeTree Core) Open(PageTransaction tx, string name)
    {
        FixedSizeTree<long> tree = tx.Catalog.OpenFixedTree<long>(name);
        return (tree, (FixedSizeTree)tx.Catalog.Structures().Single(structure => structure.Name == name));
    }
}
