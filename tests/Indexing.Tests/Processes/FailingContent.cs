using Jackdaw.Indexing.Contents;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Simulation.Following;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Recorded content that fails where the test says so.</summary>
internal sealed class FailingContent(IIndexContent content) : IIndexContent
{
    /// <summary>Adding this text fails as a document that cannot be mapped does.</summary>
    public const string Unmappable = "unmappable";

    /// <summary>A batch with this text does not fit into a transaction.</summary>
    public const string TooLarge = "too large";

    public static Func<StorageEnvironment, Guid, IIndexContent> Open(Action? applying = null) =>
        (storage, id) => new FailingContent(RecordedContent.Open(storage, id)) { Applying = applying };

    /// <summary>Called before each batch is applied.</summary>
    public Action? Applying { get; init; }

    public IIndexBatch BeginBatch() => new Batch(content.BeginBatch(), Applying);

    public IIndexContentReader OpenRead(string purpose) => content.OpenRead(purpose);

    private sealed class Batch(IIndexBatch batch, Action? applying) : ForwardedBatch(batch)
    {
        private bool _isTooLarge;

        public override void AddText(ushort field, ReadOnlySpan<byte> utf8)
        {
            base.AddText(field, utf8);
            _isTooLarge |= utf8.SequenceEqual("too large"u8);
            if (utf8.SequenceEqual("unmappable"u8))
                throw new MappingException("It cannot be mapped.");
        }

        public override void Apply(WriteTransaction transaction)
        {
            applying?.Invoke();
            if (_isTooLarge)
                throw new LimitExceededException("A transaction", 2, 1, "a test's");
            base.Apply(transaction);
        }
    }
}
