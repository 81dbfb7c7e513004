namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>A condition or a value.</summary>
internal abstract record RqlExpression : RqlNode
{
    /// <summary>Whether the expression can be true of a document by itself; a call can be either.</summary>
    public virtual bool IsCondition => false;
}
