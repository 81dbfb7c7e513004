namespace Jackdaw.Storage.Space;

/// <summary>Adjacent pages: <paramref name="Count"/> of them from <paramref name="First"/> on.</summary>
internal readonly record struct PageRun(long First, int Count)
{
    /// <summary>The page after the last one.</summary>
    public long End => First + Count;
}
