namespace Jackdaw.Indexing.Rql.Syntax;

/// <summary>A whole query. A clause that the text does not have is null or empty.</summary>
internal sealed record RqlQuery : RqlNode
{
    public RqlList<RqlDeclaration> Declarations { get; init; } = [];

    public required RqlFrom From { get; init; }

    /// <summary>Fields, and calls such as <c>Array(tags)</c>.</summary>
    public RqlList<RqlExpression> GroupBy { get; init; } = [];

    public RqlExpression? Where { get; init; }

    public RqlList<RqlOrdering> OrderBy { get; init; } = [];

    public RqlList<RqlLoad> Load { get; init; } = [];

    public RqlExpression? Filter { get; init; }

    public RqlSelect? Select { get; init; }

    /// <summary>Fields, quoted paths (strings) and calls such as <c>counters('likes')</c>.</summary>
    public RqlList<RqlExpression> Include { get; init; } = [];

    /// <summary>The script of <c>update { … }</c>.</summary>
    public RqlScript? Update { get; init; }

    /// <summary>How many results to pass over: a number, a parameter or null.</summary>
    public RqlExpression? Offset { get; init; }

    /// <summary>How many results to give: a number, a parameter or null.</summary>
    public RqlExpression? Limit { get; init; }

    /// <summary>How many results <c>filter</c> may look at: a number, a parameter or null.</summary>
    public RqlExpression? FilterLimit { get; init; }
}
