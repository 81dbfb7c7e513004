using System.Globalization;
using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Documents.Tests;

/// <summary>
/// Random operations run twice: once among others that throw at a random point of their work, once without those. Every page must
/// come out the same.
/// </summary>
public sealed class FaultPropertyTests(ITestOutputHelper output)
{
    private const int TransactionsPerSeed = 25;

    /// <summary>What both runs do: transactions of operations, some of which throw after so many fault points.</summary>
    private sealed record Planned(int Seed, int? ThrowsAfter);

    [Fact]
    public void An_operation_that_throws_anywhere_leaves_every_page_as_if_it_had_never_been()
    {
        int first = Environment.GetEnvironmentVariable("JACKDAW_SEED") is { } given ? int.Parse(given, CultureInfo.InvariantCulture) : 1;
        int count = Environment.GetEnvironmentVariable("JACKDAW_SEED") is null ? 60 : 1;
        int thrown = 0;
        for (int seed = first; seed < first + count; seed++)
        {
            output.WriteLine($"seed {seed} (JACKDAW_SEED={seed} runs it alone)");
            var plan = Plan(seed);
            using var with = Run(plan, includeFaulty: true, ref thrown);
            using var without = Run(plan, includeFaulty: false, ref thrown);
            Assert.Equal(without.Dump(), with.Dump());
            AssertSamePages(seed, without, with);
        }
        if (count > 1)
            Assert.InRange(thrown, 100, int.MaxValue);
    }

    private static List<List<Planned>> Plan(int seed)
    {
        var random = new Random(seed);
        var plan = new List<List<Planned>>();
        for (int i = 0; i < TransactionsPerSeed; i++)
        {
            var transaction = new List<Planned>();
            int operations = random.Next(1, 8);
            for (int j = 0; j < operations; j++)
                transaction.Add(new Planned(random.Next(), random.Next(3) == 0 ? random.Next(12) : null));
            plan.Add(transaction);
        }
        return plan;
    }

    private static TestDatabase Run(List<List<Planned>> plan, bool includeFaulty, ref int thrown)
    {
        var database = new TestDatabase();
        foreach (var transaction in plan)
        {
            var tasks = new List<(Task Task, bool Faulty)>();
            foreach (var planned in transaction)
            {
                if (planned.ThrowsAfter is not null && !includeFaulty)
                    continue;
                tasks.Add(
                    (
                        database.Merger.Submit(new RandomOperation(planned.Seed, planned.ThrowsAfter)).AsTask(),
                        planned.ThrowsAfter is not null
                    )
                );
            }
            database.RunAll();
            foreach (var (task, faulty) in tasks)
            {
                // Without a fault every planned operation succeeds; a fault beyond the operation's last point never comes, so it
                // refuses at the end.
                Assert.Equal(faulty, task.IsFaulted);
                if (faulty)
                {
                    Assert.IsType<DeclaredError>(task.Exception!.InnerException);
                    thrown++;
                }
            }
        }
        return database;
    }

    private static unsafe void AssertSamePages(int seed, TestDatabase expected, TestDatabase actual)
    {
        using var left = expected.Storage.BeginRead("compare");
        using var right = actual.Storage.BeginRead("compare");
        Assert.Equal(left.Id, right.Id);
        Assert.Equal(left.PageCount, right.PageCount);
        byte* leftBitmap = left.ReadPage(1);
        byte* rightBitmap = right.ReadPage(1);
        for (long page = 0; page < left.PageCount; )
        {
            Assert.True(IsUsed(leftBitmap, page) == IsUsed(rightBitmap, page), $"seed {seed}: page {page} is free in one run only");
            if (!IsUsed(leftBitmap, page))
            {
                page++;
                continue;
            }
            page += AssertSamePage(seed, page, left, right);
        }
    }

    private static unsafe int AssertSamePage(int seed, long page, PageTransaction left, PageTransaction right)
    {
        byte* leftPage = left.ReadPage(page);
        byte* rightPage = right.ReadPage(page);
        var header = (PageHeader*)leftPage;
        int run = Math.Max(1, header->RunLength);
        // The checksum is set at flush; past an overflow run's payload lies nothing.
        int length = header->Kind == PageKind.Overflow ? PageLayout.HeaderSize + header->PayloadBytes : PageLayout.PageSize;
        byte[] leftBytes = Defined(leftPage, length);
        byte[] rightBytes = Defined(rightPage, length);
        int same = leftBytes.AsSpan().CommonPrefixLength(rightBytes);
        Assert.True(same == leftBytes.Length, $"seed {seed}: page {page} ({header->Kind}) differs at byte {same}");
        return run;
    }

    /// <summary>The page without what nobody defines: the checksum (set at flush) and the gap between a tree page's slots and its
    /// cells.</summary>
    private static unsafe byte[] Defined(byte* page, int length)
    {
        byte[] bytes = new ReadOnlySpan<byte>(page, length).ToArray();
        bytes.AsSpan(0, sizeof(uint)).Clear();
        if (((PageHeader*)page)->Kind is PageKind.TreeLeaf or PageKind.TreeBranch)
        {
            var tree = new TreePage(page);
            bytes.AsSpan(tree.CellsStart - tree.GapBytes, tree.GapBytes).Clear();
        }
        return bytes;
    }

    private static unsafe bool IsUsed(byte* bitmap, long page) =>
        (bitmap[PageLayout.HeaderSize + (page >> 3)] & (1 << (int)(page & 7))) != 0;

    /// <summary>A few random changes; with a fault, it throws at that fault point, or at its end.</summary>
    private sealed class RandomOperation(int seed, int? throwsAfter) : MergedOperation
    {
        public override long SizeBytes => 100;

        internal override void Execute(DocumentsWriter writer)
        {
            var random = new Random(seed);
            int left = throwsAfter ?? int.MaxValue;
            writer.FaultPoint = () =>
            {
                if (left-- == 0)
                    throw new DeclaredError("at a fault point");
            };
            try
            {
                int changes = random.Next(1, 6);
                for (int i = 0; i < changes; i++)
                    Change(random, writer);
            }
            finally
            {
                writer.FaultPoint = null;
            }
            if (throwsAfter is not null)
                throw new DeclaredError("at the end");
        }

        private static void Change(Random random, DocumentsWriter writer)
        {
            string id = $"{(char)('a' + random.Next(3))}/{random.Next(40)}";
            switch (random.Next(10))
            {
                case 0:
                    writer.NextIdentity(Encoding.ASCII.GetBytes($"{id[0]}|"));
                    break;
                case 1:
                    Execute(TestDatabase.Delete(id[..2] + (char)('0' + random.Next(4)), prefix: true), writer);
                    break;
                case 2 or 3:
                    Execute(TestDatabase.Delete(id), writer);
                    break;
                case 4:
                    writer.RemoveTombstones(
                        new Tombstones.CleanTombstonesOperation { UpToEtag = random.NextInt64(writer.LastEtag + 1) },
                        random.Next(5)
                    );
                    break;
                default:
                    // The collection depends on the id, so that it never changes; a large one now and then takes overflow pages.
                    int bytes = random.Next(12) == 0 ? random.Next(40_000) : random.Next(600);
                    string collection = id.Length == 3 ? $"C{id[2]}" : $"C{id[2]}x";
                    Execute(
                        TestDatabase.Put(id, $$$"""{"t":"{{{new string('t', bytes)}}}","@metadata":{"@collection":"{{{collection}}}"}}"""),
                        writer
                    );
                    break;
            }
        }

        private static void Execute(BatchOperation batch, DocumentsWriter writer)
        {
            batch.Execute(writer);
            batch.Return();
        }
    }
}
