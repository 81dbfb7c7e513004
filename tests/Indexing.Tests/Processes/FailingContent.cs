using Jackdaw.Indexing.Contents;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Search;
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

    private sealed class Batch(IIndexBatch batch, Action? applying) : IIndexBatch
    {
        private bool _isTooLarge;

        public long Bytes => batch.Bytes;

        public ushort Field(string name, FieldOptions options) => batch.Field(name, options);

        public void BeginSource(ReadOnlySpan<byte> sourceKey) => batch.BeginSource(sourceKey);

        public void DeleteSource(ReadOnlySpan<byte> sourceKey) => batch.DeleteSource(sourceKey);

        public void AbandonSource() => batch.AbandonSource();

        public void BeginEntry() => batch.BeginEntry();

        public void AddText(ushort field, ReadOnlySpan<byte> utf8)
        {
            batch.AddText(field, utf8);
            _isTooLarge |= utf8.SequenceEqual("too large"u8);
            if (utf8.SequenceEqual("unmappable"u8))
                throw new MappingException("It cannot be mapped.");
        }

        public void AddNumber(ushort field, SearchNumber number) => batch.AddNumber(field, number);

        public void AddNull(ushort field) => batch.AddNull(field);

        public void AddEmptyArray(ushort field) => batch.AddEmptyArray(field);

        public void SetState(string name, ReadOnlySpan<byte> value) => batch.SetState(name, value);

        public void Apply(WriteTransaction transaction)
        {
            applying?.Invoke();
            if (_isTooLarge)
                throw new LimitExceededException("A transaction", 2, 1, "a test's");
            batch.Apply(transaction);
        }

        public void Dispose() => batch.Dispose();
    }
}
