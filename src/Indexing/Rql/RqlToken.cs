namespace Jackdaw.Indexing.Rql;

/// <summary>A token: its kind and the half-open range of the text that it covers.</summary>
internal readonly record struct RqlToken(RqlTokenKind Kind, int Start, int End);
