using Jackdaw.Documents.Reading;
using Jackdaw.Search.Reading;

namespace Jackdaw.Indexing.Processes;

/// <summary>
/// An index at one moment, opened before the documents' reader. Of one thread; ends with Dispose, within the limit on readers.
/// </summary>
public sealed class IndexReading : IDisposable
{
    internal IndexReading() { }

    /// <summary>The index that is read.</summary>
    public Index Index => throw new NotImplementedException();

    /// <summary>What it holds.</summary>
    public SearchReader Search => throw new NotImplementedException();

    /// <summary>The highest etag of its collections that it has seen.</summary>
    public long Position => throw new NotImplementedException();

    /// <summary>When the last batch was committed, UTC ticks; 0: none yet.</summary>
    public long LastIndexedAt => throw new NotImplementedException();

    /// <summary>Have the index's collections changes above <see cref="Position"/>, up to <paramref name="cutoffEtag"/> where one is given?</summary>
    /// <param name="documents">Opened after this reading; otherwise the answer could be wrongly fresh.</param>
    /// <param name="cutoffEtag">Changes above it do not count; null: all count.</param>
    public bool IsStale(DocumentsReader documents, long? cutoffEtag = null) => throw new NotImplementedException();

    /// <summary>A number that changes whenever an answer could: made of the index's instance, <see cref="Position"/>, staleness and the
    /// collections' last etag.</summary>
    public long ResultEtag(DocumentsReader documents) => throw new NotImplementedException();

    /// <inheritdoc/>
    public void Dispose() => throw new NotImplementedException();
}
