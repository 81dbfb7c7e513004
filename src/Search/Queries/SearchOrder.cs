namespace Jackdaw.Search.Queries;

/// <summary>One key of an order.</summary>
/// <param name="Kind">What is compared.</param>
/// <param name="Field">The field, where the kind has one; it must be sortable.</param>
/// <param name="IsDescending">Largest first. Entries without the field come first when ascending and last when descending, before
/// null, empty arrays and then values.</param>
/// <param name="Seed">Of <see cref="SearchOrderKind.Random"/>: the same seed gives the same order of the same entries.</param>
public sealed record SearchOrder(SearchOrderKind Kind, string Field = "", bool IsDescending = false, string? Seed = null);
