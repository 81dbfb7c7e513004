using Jackdaw.Search;
using Jackdaw.Search.Entries;
using Jackdaw.Search.Reading;
using Jackdaw.Storage;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Indexing.Contents;

/// <summary>An index of the search engine.</summary>
internal sealed class SearchContent : IIndexContent
{
    private readonly SearchIndex _index;

    private SearchContent(SearchIndex index) => _index = index;

    /// <summary>Opens the index, or creates it in an empty environment. Errors: <see cref="SearchFormatException"/>.</summary>
    public static IIndexContent Open(StorageEnvironment storage, Guid instanceId) =>
        new SearchContent(SearchIndex.Open(storage, instanceId));

    public IIndexBatch BeginBatch() => new Batch(_index.BeginBatch());

    public IIndexContentReader OpenRead(string purpose) => new Reader(_index.OpenRead(purpose));

    private sealed class Reader(SearchReader reader) : IIndexContentReader
    {
        public SearchReader Search => reader;

        public long TransactionId => reader.TransactionId;

        public long EntryCount => reader.EntryCount;

        public byte[]? State(string name) => reader.State(name);

        public void Dispose() => reader.Dispose();
    }

    private sealed class Batch(EntryBatch batch) : IIndexBatch
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

        public void Apply(WriteTransaction transaction) => batch.Apply(transaction);

        public void Dispose() => batch.Dispose();
    }
}
