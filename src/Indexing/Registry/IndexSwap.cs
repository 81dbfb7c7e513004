namespace Jackdaw.Indexing.Registry;

/// <summary>An index that was built beside others takes their place. docs/indexing.md, "The registry".</summary>
/// <param name="index">The index, which has caught up.</param>
/// <param name="replaced">Those of the ones that it replaces that are still there.</param>
/// <param name="planted">A mistake for a test to find.</param>
internal sealed class IndexSwap(IndexRecord index, IReadOnlyList<IndexRecord> replaced, PlantedIndexFault planted)
{
    /// <summary>The index's record afterwards.</summary>
    public IndexRecord Record { get; } = index with { Replaces = [] };

    /// <summary>Those that go.</summary>
    public IReadOnlyList<IndexRecord> Replaced => replaced;

    /// <summary>In their order.</summary>
    public IReadOnlyList<IndexSwapStep> Steps { get; } =
        planted switch
        {
            PlantedIndexFault.DeleteBeforeSwap =>
            [
                IndexSwapStep.MakeDurable,
                IndexSwapStep.DeleteFolders,
                IndexSwapStep.ChangeRecords,
                IndexSwapStep.DropReplaced,
            ],
            PlantedIndexFault.SwapBeforeDurable => [IndexSwapStep.ChangeRecords, IndexSwapStep.DropReplaced, IndexSwapStep.MakeDurable],
            _ => [IndexSwapStep.MakeDurable, IndexSwapStep.ChangeRecords, IndexSwapStep.DropReplaced],
        };

    /// <summary>The one operation of <see cref="IndexSwapStep.ChangeRecords"/>.</summary>
    public ChangeIndexesOperation Operation()
    {
        var operation = new ChangeIndexesOperation().Put(Record);
        foreach (var former in replaced)
            operation.Remove(former);
        return operation;
    }
}
