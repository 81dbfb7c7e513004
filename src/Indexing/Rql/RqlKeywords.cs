namespace Jackdaw.Indexing.Rql;

/// <summary>
/// The words with a meaning. <em>Reserved</em> ones are fields only where what follows leaves no doubt; the others are words of the
/// language only where they can stand, and names everywhere else.
/// </summary>
internal static class RqlKeywords
{
    private static readonly HashSet<string> _reserved = new(StringComparer.OrdinalIgnoreCase)
    {
        "and",
        "or",
        "not",
        "in",
        "between",
        "as",
        "from",
        "where",
        "select",
        "order",
        "group",
        "true",
        "false",
        "null",
    };

    private static readonly HashSet<string> _clauses = new(StringComparer.OrdinalIgnoreCase)
    {
        "from",
        "where",
        "group",
        "order",
        "load",
        "filter",
        "filter_limit",
        "select",
        "include",
        "limit",
        "offset",
        "update",
    };

    private static readonly HashSet<string> _besideOperands = new(StringComparer.OrdinalIgnoreCase)
    {
        "and",
        "or",
        "not",
        "in",
        "between",
        "as",
        "true",
        "false",
        "null",
    };

    private static readonly HashSet<string>.AlternateLookup<ReadOnlySpan<char>> _besideOperandsSpans = _besideOperands.GetAlternateLookup<
        ReadOnlySpan<char>
    >();

    private static readonly HashSet<string>.AlternateLookup<ReadOnlySpan<char>> _reservedSpans = _reserved.GetAlternateLookup<
        ReadOnlySpan<char>
    >();

    private static readonly HashSet<string>.AlternateLookup<ReadOnlySpan<char>> _clauseSpans = _clauses.GetAlternateLookup<
        ReadOnlySpan<char>
    >();

    public static bool IsReserved(ReadOnlySpan<char> word) => _reservedSpans.Contains(word);

    /// <summary>Reserved words that stand beside operands or are some: without quotes they are fields before <c>=</c> and its like
    /// alone.</summary>
    public static bool StandsBesideOperands(ReadOnlySpan<char> word) => _besideOperandsSpans.Contains(word);

    public static bool BeginsClause(ReadOnlySpan<char> word) => _clauseSpans.Contains(word);
}
