namespace Jackdaw.Indexing.Rql;

/// <summary>What a query's text may be at most. Each is checked while parsing; a refusal is an <see cref="RqlLimitException"/>
/// that names it.</summary>
public static class RqlLimits
{
    /// <summary>UTF-16 units in the text of a query.</summary>
    public const int MaxQueryLength = 1024 * 1024;

    /// <summary>Parentheses, method calls, arrays and <c>not</c> inside one another. Bounds the stack of everything that walks
    /// the tree.</summary>
    public const int MaxNestingDepth = 128;

    /// <summary>Comparisons, method calls, and fields of <c>select</c>, <c>order by</c>, <c>group by</c>, <c>load</c> and
    /// <c>include</c>, together.</summary>
    public const int MaxClauses = 16 * 1024;
}
