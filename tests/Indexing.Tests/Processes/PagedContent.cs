using Jackdaw.Indexing.Contents;
using Jackdaw.Simulation.Following;
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

    private sealed class Batch(IIndexBatch batch, List<(int Sources, bool IsRefused)> batches) : ForwardedBatch(batch)
    {
        private int _sources;

        public override long Bytes => _sources * SourceBytes;

        public override void BeginSource(ReadOnlySpan<byte> sourceKey)
        {
            base.BeginSource(sourceKey);
            _sources++;
        }

        public override void Apply(WriteTransaction transaction)
        {
            try
            {
                for (int i = 0; i < _sources; i++)
                    ChangePage(transaction);
                base.Apply(transaction);
                Tell(isRefused: false);
            }
            catch (LimitExceededException)
            {
                Tell(isRefused: true);
                throw;
            }
        }

        private static unsafe void ChangePage(WriteTransaction transaction) => transaction.AllocatePages(1, PageKind.Overflow, out _);

        private void Tell(bool isRefused)
        {
            lock (batches)
                batches.Add((_sources, isRefused));
        }
    }
}
