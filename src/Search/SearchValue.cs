namespace Jackdaw.Search;

/// <summary>What a query compares a field with.</summary>
public abstract record SearchValue
{
    private SearchValue() { }

    /// <summary>The value null.</summary>
    public static SearchValue Null { get; } = new Mark(MarkKind.Null);

    /// <summary>An array without elements.</summary>
    public static SearchValue EmptyArray { get; } = new Mark(MarkKind.EmptyArray);

    /// <summary>A text, before analysis: the query analyzes it as the field does.</summary>
    /// <param name="Value">Any text, also an empty one.</param>
    public sealed record Text(string Value) : SearchValue;

    /// <summary>A number. It equals numbers only: who wants the text too asks for both.</summary>
    /// <param name="Value">The number.</param>
    public sealed record Number(SearchNumber Value) : SearchValue;

    /// <summary>Null or an empty array.</summary>
    internal sealed record Mark(MarkKind Kind) : SearchValue;

    /// <summary>The marks that entries carry in place of a term; the values are those of the format.</summary>
    internal enum MarkKind : byte
    {
        Null = 1,
        EmptyArray = 2,
        Exists = 3,
    }
}
