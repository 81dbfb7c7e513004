using Jackdaw.Indexing.Contents;
using Jackdaw.Search;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Recorded content of which each source changes a page of its own, as a distinct value does in a large index.</summary>
internal sealed class PagedContent(IIndexContent content, List<(int Sources, bool IsRefused)> batches) : IIndexContent
{
    /// <summary>Memory that a source takes of a batch.</summary>
    public const long SourceBytes = 80_000;

    /// <param name="batches">Told of each batch that is applied, in order; locked while it is.</param>
    public static Func<StorageEnvironment, Guid, IIndexContent> Open(List<(int Sources, bool IsRefused)> batches) =>
        (storage, id) => new PagedContent(RecordedContent.Open(storage, id), batches);

    public IIndexBatch BeginBatch() => new Batch(content.BeginBatch(), batches);

    public IIndexContentReader OpenRead(string purpose) => content.OpenRead(purpose);

    private sealed class Batch(IIndexBatch batch, List<(int Sources, bool IsRefused)> batches) : IIndexBatch
    {
        private int _sources;

        public long Bytes => _sources * SourceBytes;

        public ushort Field(string name, FieldOptions options) => batch.Field(name, options);

        public void BeginSource(ReadOnlySpan<byte> sourceKey)
        {
            batch.BeginSource(sourceKey);
            _sources++;
        }

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
            try
            {
                for (int i = 0; i < _sources; i++)
                    ChangePage(transaction);
                batch.Apply(transaction);
                Tell(isRefused: false);
            }
            catch (LimitExceededException)
            {
                Tell(isRefused: true);
                throw;
            }
        }

        public void Dispose() => batch.Dispose();

        private static unsafe void ChangePage(WriteTransaction transaction) => transaction.AllocatePages(1, PageKind.Overflow, out _);

        private void Tell(bool isRefused)
        {
            lock (batches)
                batches.Add((_sources, isRefused));
        }
    }
}
