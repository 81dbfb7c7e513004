using Jackdaw.Search.Matching;
using Jackdaw.Search.Ordering;
using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Reading;

public sealed partial class SearchReader
{
    private IndexView? _view;

    private IndexView View => _view ??= new IndexView(_transaction);

    /// <summary>Answers a query. Errors: <see cref="SearchQueryException"/> for a query that cannot be answered,
    /// <see cref="OperationCanceledException"/> when it is cancelled, here or while the result is read.</summary>
    public SearchResult Search(SearchRequest request) => Search(request, OrderChoice.Cheapest);

    /// <summary>A field's terms behind one (null: from the first), texts in the order of their bytes, then numbers in theirs. A number that
    /// reads as one of the texts is left out. A text that is not kept whole is shown as far as it is, with an ellipsis.</summary>
    public IReadOnlyList<string> Terms(string field, string? after, int atMost) => TermListing.List(View, field, after, atMost);

    internal SearchResult Search(SearchRequest request, OrderChoice choice) => Searching.Run(View, request, choice);
}
