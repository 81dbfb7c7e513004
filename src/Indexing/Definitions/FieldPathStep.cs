namespace Jackdaw.Indexing.Definitions;

/// <summary>A step of a <see cref="FieldPath"/>: a property, one element of an array, or each.</summary>
public readonly record struct FieldPathStep
{
    /// <summary>The property's name; null for elements.</summary>
    public string? Name { get; private init; }

    /// <summary>The element's number, starting at 0; null for a property and for each element.</summary>
    public int? Index { get; private init; }

    /// <summary>Each element of an array.</summary>
    public static FieldPathStep EachElement => default;

    /// <summary>The value of one property.</summary>
    public static FieldPathStep Property(string name) => new() { Name = name };

    /// <summary>One element of an array.</summary>
    public static FieldPathStep ElementAt(int index) => new() { Index = index };
}
