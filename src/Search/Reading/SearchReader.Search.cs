using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Reading;

public sealed partial class SearchReader
{
    /// <summary>Answers a query. Errors: <see cref="SearchQueryException"/>.</summary>
    public SearchResult Search(SearchRequest request) => throw new NotImplementedException();

    /// <summary>A field's terms behind one (null: from the first), texts in the order of their bytes, then numbers in theirs.</summary>
    public IReadOnlyList<string> Terms(string field, string? after, int atMost) => throw new NotImplementedException();
}
