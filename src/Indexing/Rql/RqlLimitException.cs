namespace Jackdaw.Indexing.Rql;

/// <summary>The text of a query goes beyond one of <see cref="RqlLimits"/>.</summary>
public sealed class RqlLimitException : RqlSyntaxException
{
    internal RqlLimitException(RqlPosition position, string token, string limitName, int limit, string what)
        : base(
            $"{Capitalised(position)}: {what}; the limit is {limit} ({limitName}).",
            position,
            token,
            $"no more than {limit} ({limitName})"
        )
    {
        LimitName = limitName;
        Limit = limit;
    }

    /// <summary>The limit's name in <see cref="RqlLimits"/>.</summary>
    public string LimitName { get; }

    /// <summary>The limit's value.</summary>
    public int Limit { get; }
}
