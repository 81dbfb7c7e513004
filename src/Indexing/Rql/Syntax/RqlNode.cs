namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>A node of the syntax tree. Two nodes are equal when they say the same, wherever in a text they stand.</summary>
internal abstract record RqlNode
{
    /// <summary>Where the node begins; not part of its equality.</summary>
    public RqlPosition At { get; init; }

    public virtual bool Equals(RqlNode? other) => other is not null && EqualityContract == other.EqualityContract;

    public override int GetHashCode() => EqualityContract.GetHashCode();
}
