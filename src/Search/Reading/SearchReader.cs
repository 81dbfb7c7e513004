using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Reading;

/// <summary>An index at one moment. Of one thread.</summary>
public sealed class SearchReader : IDisposable
{
    internal SearchReader() { }

    /// <summary>Entries in the index.</summary>
    public long EntryCount => throw new NotImplementedException();

    /// <summary>The fields, by name.</summary>
    public IReadOnlyList<SearchField> Fields => throw new NotImplementedException();

    /// <summary>A value of the owner (<see cref="Entries.EntryBatch.SetState"/>), copied; null: none.</summary>
    public byte[]? State(string name) => throw new NotImplementedException();

    /// <summary>Answers a query. Errors: <see cref="SearchQueryException"/>.</summary>
    public SearchResult Search(SearchRequest request) => throw new NotImplementedException();

    /// <summary>The source key of an entry; empty for one without. False: there is no such entry. The span lives as long as the
    /// reader.</summary>
    public bool TryGetSource(long entry, out ReadOnlySpan<byte> sourceKey) => throw new NotImplementedException();

    /// <summary>The entry's stored section; the span lives as long as the reader.</summary>
    public ReadOnlySpan<byte> Stored(long entry) => throw new NotImplementedException();

    /// <summary>The terms of an entry, field by field, as people read them: what <c>debug=entries</c> shows.</summary>
    public IReadOnlyList<KeyValuePair<string, IReadOnlyList<string>>> TermsOf(long entry) => throw new NotImplementedException();

    /// <summary>A field's terms behind one (null: from the first), texts in the order of their bytes, then numbers in theirs.</summary>
    public IReadOnlyList<string> Terms(string field, string? after, int atMost) => throw new NotImplementedException();

    /// <inheritdoc/>
    public void Dispose() => throw new NotImplementedException();
}
