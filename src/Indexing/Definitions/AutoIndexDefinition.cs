namespace Jackdaw.Indexing.Definitions;

/// <summary>
/// What an automatic index holds: fields of the documents of one collection. Every index also has the field <c>id()</c>, which
/// no definition names.
/// </summary>
/// <param name="Collection">The collection as the first query spelled it; null: all documents (<c>@all_docs</c>).</param>
/// <param name="Fields">In ascending ordinal order of their paths, each once.</param>
public sealed record AutoIndexDefinition(string? Collection, IReadOnlyList<AutoIndexField> Fields);
