using System.Collections.Immutable;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Simulation.Workloads;

/// <summary>Pages and overflow runs without any structure: allocated, changed in places, freed. What the engine does with them
/// shows at once.</summary>
/// <param name="wide">Also runs of more than a megabyte, whose space is given back to the file system when they are freed.</param>
internal sealed unsafe class RawPageWorkload(bool wide) : IWorkload
{
    private const int CellCount = 16;
    private const int CellDistance = 500;
    private const int MaxPages = 60;

    public object Empty => ImmutableSortedDictionary<long, RawPage>.Empty;

    public object Change(WriteTransaction transaction, object state, SimulatedRandom random)
    {
        var pages = (ImmutableSortedDictionary<long, RawPage>)state;
        var choice = random.Next(10);
        if (pages.Count == 0 || choice < 2 && pages.Count < MaxPages)
            return AddPage(transaction, pages, random);
        if (choice == 2 && pages.Count < MaxPages)
            return AddRun(transaction, pages, random);
        var (number, page) = pages.ElementAt(random.Next(pages.Count));
        if (choice < 5 || page.Run > 1)
        {
            transaction.FreePages(number, page.Run);
            return pages.Remove(number);
        }
        return pages.SetItem(number, ChangeCells(transaction, number, page, random));
    }

    public object Clear(WriteTransaction transaction, object state)
    {
        foreach (var (number, page) in (ImmutableSortedDictionary<long, RawPage>)state)
            transaction.FreePages(number, page.Run);
        return Empty;
    }

    public void Verify(PageTransaction transaction, object state, double share, SimulatedRandom random)
    {
        foreach (var (number, page) in (ImmutableSortedDictionary<long, RawPage>)state)
        {
            if (share >= 1 || random.NextDouble() < share)
                Verify(transaction, number, page);
        }
    }

    public void Check(PageTransaction transaction, object state, IPageVisitor visitor)
    {
        foreach (var (number, page) in (ImmutableSortedDictionary<long, RawPage>)state)
            visitor.Visit(number, page.Run);
    }

    private static ImmutableSortedDictionary<long, RawPage> AddPage(
        WriteTransaction transaction,
        ImmutableSortedDictionary<long, RawPage> pages,
        SimulatedRandom random
    )
    {
        var page = new RawPage(1, PageLayout.BodySize, (uint)random.Next(Patterns.MaxLength), new ulong[CellCount]);
        var memory = transaction.AllocatePages(1, PageKind.TreeLeaf, out var number);
        Patterns.Of(page.Pattern, page.PayloadBytes).CopyTo(Payload(memory, page));
        OracleException.Require(!pages.ContainsKey(number), $"page {number} is handed out twice");
        return pages.Add(number, page);
    }

    private ImmutableSortedDictionary<long, RawPage> AddRun(
        WriteTransaction transaction,
        ImmutableSortedDictionary<long, RawPage> pages,
        SimulatedRandom random
    )
    {
        // Mostly a few pages; now and then one that is larger than a journal file.
        var run = random.OneIn(8) ? random.Next(8, 30) : random.Next(2, 6);
        if (wide && random.OneIn(4))
            run = random.Next(130, 270);
        var payload = Math.Min(run, 30) * PageLayout.PageSize - PageLayout.HeaderSize - random.Next(PageLayout.PageSize - 1);
        var page = new RawPage(run, payload, (uint)random.Next(Patterns.MaxLength), []);
        var memory = transaction.AllocatePages(run, PageKind.Overflow, out var number);
        ((PageHeader*)memory)->PayloadBytes = payload;
        Patterns.Of(page.Pattern, payload).CopyTo(Payload(memory, page));
        for (var i = 0; i < run; i++)
            OracleException.Require(!pages.ContainsKey(number + i), $"page {number + i} is handed out twice");
        return pages.Add(number, page);
    }

    private static RawPage ChangeCells(WriteTransaction transaction, long number, RawPage page, SimulatedRandom random)
    {
        var cells = (ulong[])page.Cells.Clone();
        var memory = transaction.ModifyPage(number);
        for (var changes = random.Next(1, 4); changes > 0; changes--)
        {
            var cell = random.Next(CellCount);
            // Small numbers too: a difference of a byte or two, and now and then one that puts back what was there.
            cells[cell] = random.OneIn(4) ? (ulong)random.Next(1, 4) : random.NextUInt64() | 1;
            *(ulong*)(memory + PageLayout.HeaderSize + cell * CellDistance) = cells[cell];
        }
        return page with { Cells = cells };
    }

    private static void Verify(PageTransaction transaction, long number, RawPage page)
    {
        var memory = transaction.ReadPage(number);
        var header = (PageHeader*)memory;
        OracleException.Require(
            header->PageNumber == number && header->RunLength == page.Run,
            $"page {number} has the header of page {header->PageNumber}, run {header->RunLength}"
        );
        var payload = Payload(memory, page);
        var pattern = Patterns.Of(page.Pattern, page.PayloadBytes);
        var at = 0;
        for (var cell = 0; cell < page.Cells.Length; cell++)
        {
            if (page.Cells[cell] == 0)
                continue;
            var offset = cell * CellDistance;
            OracleException.Require(payload[at..offset].SequenceEqual(pattern[at..offset]), $"page {number} differs before cell {cell}");
            OracleException.Require(
                *(ulong*)(memory + PageLayout.HeaderSize + offset) == page.Cells[cell],
                $"page {number} differs in cell {cell}"
            );
            at = offset + sizeof(ulong);
        }
        OracleException.Require(payload[at..].SequenceEqual(pattern[at..]), $"page {number} differs after byte {at}");
    }

    private static Span<byte> Payload(byte* memory, RawPage page) => new(memory + PageLayout.HeaderSize, page.PayloadBytes);
}
