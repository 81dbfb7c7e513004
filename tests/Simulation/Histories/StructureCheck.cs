using Jackdaw.Simulation.Workloads;
using Jackdaw.Storage.Space;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Simulation.Histories;

/// <summary>Every structure's own rules; and every page has exactly one owner or is free.</summary>
internal sealed class StructureCheck : IPageVisitor
{
    private readonly HashSet<long> _owned = [];
    private readonly PageTransaction _transaction;

    private StructureCheck(PageTransaction transaction) => _transaction = transaction;

    public static void Run(PageTransaction transaction, IReadOnlyList<IWorkload> workloads, object[] state)
    {
        var check = new StructureCheck(transaction);
        check.Visit(0, 1);
        for (long page = 1; page < transaction.PageCount; page++)
        {
            if (FreeSpace.IsBitmapPage(page))
                check.Visit(page, 1);
        }
        transaction.Catalog.Check(check);
        for (var i = 0; i < workloads.Count; i++)
            workloads[i].Check(transaction, state[i], check);
        var used = transaction.PageCount - FreeSpace.FreeCount(transaction);
        OracleException.Require(used == check._owned.Count, $"{used} pages are in use, and {check._owned.Count} have an owner");
    }

    public bool Visit(long pageNumber, int runLength)
    {
        for (var page = pageNumber; page < pageNumber + runLength; page++)
        {
            OracleException.Require(_owned.Add(page), $"page {page} has two owners");
            OracleException.Require(FreeSpace.IsInUse(_transaction, page), $"page {page} has an owner and is free");
        }
        return true;
    }

    public void Report(long pageNumber, string problem) => throw new OracleException($"page {pageNumber}: {problem}");
}
