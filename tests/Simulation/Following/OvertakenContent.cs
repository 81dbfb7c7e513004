using Jackdaw.Indexing.Contents;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Search;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Simulation.Following;

/// <summary>An index's content whose batches are overtaken by other threads' steps: they run before a batch is applied.</summary>
internal sealed class OvertakenContent(IIndexContent content, Action othersRun) : IIndexContent
{
    public IIndexBatch BeginBatch() => new Batch(content.BeginBatch(), othersRun);

    public IIndexContentReader OpenRead(string purpose) => content.OpenRead(purpose);

    private sealed class Batch(IIndexBatch batch, Action othersRun) : ForwardedBatch(batch)
    {
        public override void Apply(WriteTransaction transaction)
        {
            othersRun();
            base.Apply(transaction);
        }
    }
}
