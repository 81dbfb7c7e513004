namespace Jackdaw.Indexing.Queries;

/// <summary>One member of a projected object.</summary>
/// <param name="Name">Its name in the result.</param>
/// <param name="Path">Where its value stands in the body or the metadata; null for the id.</param>
internal sealed record ProjectedField(string Name, ProjectedFieldSource Source, JsonFieldPath? Path);
