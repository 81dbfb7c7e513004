using Jackdaw.Indexing.Contents;
using Jackdaw.Search;
using Jackdaw.Storage;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Recorded content as servers wrote it that did not state the version of its values.</summary>
internal sealed class UndatedContent(IIndexContent content) : IIndexContent
{
    public static IIndexContent Open(StorageEnvironment storage, Guid id) => new UndatedContent(RecordedContent.Open(storage, id));

    public IIndexBatch BeginBatch() => new Batch(content.BeginBatch());

    public IIndexContentReader OpenRead(string purpose) => content.OpenRead(purpose);

    private sealed class Batch(IIndexBatch batch) : IIndexBatch
    {
        public long Bytes => batch.Bytes;

        public ushort Field(string name, FieldOptions options) => batch.Field(name, options);

        public void BeginSource(ReadOnlySpan<byte> sourceKey) => batch.BeginSource(sourceKey);

        public void DeleteSource(ReadOnlySpan<byte> sourceKey) => batch.DeleteSource(sourceKey);

        public void AbandonSource() => batch.AbandonSource();

        public void BeginEntry() => batch.BeginEntry();

        public void AddText(ushort field, ReadOnlySpan<byte> utf8) => batch.AddText(field, utf8);

        public void AddNumber(ushort field, SearchNumber number) => batch.AddNumber(field, number);

        public void AddNull(ushort field) => batch.AddNull(field);

        public void AddEmptyArray(ushort field) => batch.AddEmptyArray(field);

        public void SetState(string name, ReadOnlySpan<byte> value)
        {
            if (name != "values")
                batch.SetState(name, value);
        }

        public void Apply(WriteTransaction transaction) => batch.Apply(transaction);

        public void Dispose() => batch.Dispose();
    }
}
