namespace Jackdaw.Indexing.Definitions;

/// <summary>A field of an automatic index.</summary>
/// <param name="Path">Where the values lie in a document, as queries write it: <c>name</c>, <c>address.city</c>, <c>lines[].product</c>,
/// <c>@metadata.@collection</c>.</param>
/// <param name="HasSearch">Also indexed word by word, as the field <c>search(Path)</c>.</param>
/// <param name="HasExact">Also indexed exactly, as the field <c>exact(Path)</c>.</param>
public sealed record AutoIndexField(string Path, bool HasSearch = false, bool HasExact = false);
