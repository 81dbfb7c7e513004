using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Trees;

/// <summary>Collects what a check visits and reports, and compares it with the pages that the transaction has in use.</summary>
internal sealed class CheckedPages(HeapPages transaction) : IPageVisitor
{
    private readonly HashSet<long> _owned = [PageLayout.MetaPage];

    public List<string> Problems { get; } = [];

    /// <summary>Checks every structure of the catalog, and that each page in use has exactly one owner.</summary>
    public static void RequireSound(HeapPages transaction)
    {
        if (transaction.IsWritable)
            transaction.Catalog.WriteBack();
        var pages = new CheckedPages(transaction);
        transaction.Catalog.Check(pages);
        Assert.Empty(pages.Problems);
        if (transaction.IsWritable)
            Assert.Equal(transaction.UsedPages, pages._owned.Count);
    }

    /// <summary>What the check of one structure finds.</summary>
    public static List<string> ProblemsOf(HeapPages transaction, Structure structure)
    {
        var pages = new CheckedPages(transaction);
        structure.Check(pages);
        return pages.Problems;
    }

    public bool Visit(long pageNumber, int runLength)
    {
        for (long page = pageNumber; page < pageNumber + runLength; page++)
        {
            if (page >= transaction.PageCount || transaction.IsFree(page) || !_owned.Add(page))
            {
                Problems.Add($"page {page} is free, outside the file, or has two owners");
                return false;
            }
        }
        return true;
    }

    public void Report(long pageNumber, string problem) => Problems.Add($"page {pageNumber}: {problem}");
}
