using Jackdaw.Indexing.Contents;
using Jackdaw.Simulation.Following;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Recorded content as servers wrote it that did not state the version of its values.</summary>
internal sealed class UndatedContent(IIndexContent content) : IIndexContent
{
    public static IIndexContent Open(StorageEnvironment storage, Guid id) => new UndatedContent(RecordedContent.Open(storage, id));

    public IIndexBatch BeginBatch() => new Batch(content.BeginBatch());

    public IIndexContentReader OpenRead(string purpose) => content.OpenRead(purpose);

    private sealed class Batch(IIndexBatch batch) : ForwardedBatch(batch)
    {
        public override void SetState(string name, ReadOnlySpan<byte> value)
        {
            if (name != "values")
                base.SetState(name, value);
        }
    }
}
