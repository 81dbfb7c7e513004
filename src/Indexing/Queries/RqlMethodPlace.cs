namespace Jackdaw.Indexing.Queries;

/// <summary>Where in a query a method is called.</summary>
[Flags]
internal enum RqlMethodPlace
{
    /// <summary>As a condition of <c>where</c> or <c>filter</c>, or around one.</summary>
    Condition = 1,

    /// <summary>In place of a field that is compared.</summary>
    Field = 2,

    /// <summary>As the value that a field is compared with.</summary>
    Value = 4,

    /// <summary>In <c>order by</c>.</summary>
    Order = 8,

    /// <summary>In <c>select</c>.</summary>
    Select = 16,

    /// <summary>In <c>include</c>.</summary>
    Include = 32,

    /// <summary>In <c>load</c>, which takes no method.</summary>
    Load = 64,
}
