namespace Jackdaw.Indexing.Queries;

/// <summary>One member of a projected object.</summary>
/// <param name="Name">Its name in the result.</param>
/// <param name="Path">Where its value stands in the body or the metadata; null for the id.</param>
/// <param name="Counted">Where an array may stand, whose number of elements is the value. Null, or no array there: the value is that of
/// <paramref name="Path"/>.</param>
internal sealed record ProjectedField(string Name, ProjectedFieldSource Source, JsonFieldPath? Path, JsonFieldPath? Counted = null);
