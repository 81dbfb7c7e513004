namespace Jackdaw.Search.Ordering;

/// <summary>Which way of ordering is taken where there are two; for tests that compare them.</summary>
internal enum OrderChoice
{
    Cheapest,
    Columns,
    Terms,
}
