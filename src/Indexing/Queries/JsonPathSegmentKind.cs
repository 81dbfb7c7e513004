namespace Jackdaw.Indexing.Queries;

internal enum JsonPathSegmentKind
{
    /// <summary>The value of one property.</summary>
    Property,

    /// <summary>Each element of an array.</summary>
    EachElement,

    /// <summary>One element of an array.</summary>
    ElementAt,

    /// <summary>The name of each property of an object.</summary>
    Keys,

    /// <summary>The value of each property of an object.</summary>
    Values,
}
