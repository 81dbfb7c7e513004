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

    private sealed class Batch(IIndexBatch batch, Action othersRun) : IIndexBatch
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

        public void SetState(string name, ReadOnlySpan<byte> value) => batch.SetState(name, value);

        public void Apply(WriteTransaction transaction)
        {
            othersRun();
            batch.Apply(transaction);
        }

        public void Dispose() => batch.Dispose();
    }
}
