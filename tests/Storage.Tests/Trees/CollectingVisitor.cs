using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Trees;

/// <summary>Notes the pages and the problems that a structure's check reports.</summary>
internal sealed class CollectingVisitor : IPageVisitor
{
    public HashSet<long> Pages { get; } = [];

    public List<string> Problems { get; } = [];

    public bool Visit(long pageNumber, int runLength)
    {
        bool isNew = true;
        for (int i = 0; i < runLength; i++)
            isNew &= Pages.Add(pageNumber + i);
        if (!isNew)
            Problems.Add($"page {pageNumber} is visited twice");
        return isNew;
    }

    public void Report(long pageNumber, string problem) => Problems.Add($"page {pageNumber}: {problem}");

    /// <summary>A sound structure that owns exactly so many pages.</summary>
    public static void Verify(Structure structure)
    {
        var visitor = new CollectingVisitor();
        structure.Check(visitor);
        Assert.Empty(visitor.Problems);
        Assert.Equal(structure.PageCount, visitor.Pages.Count);
    }
}
