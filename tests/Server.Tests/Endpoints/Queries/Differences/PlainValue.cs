namespace Jackdaw.Server.Tests.Endpoints.Queries.Differences;

/// <summary>One value of a field, or one that a condition compares it with.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Text">Of a text as it was written; of a number its literal.</param>
internal readonly record struct PlainValue(PlainKind Kind, string Text = "")
{
    /// <summary>Of a number; one beyond double counts as the end of the range.</summary>
    public PlainNumber Number => PlainNumber.Of(Text) ?? PlainNumber.Beyond(Text.StartsWith('-'));

    public bool IsBeyondDouble => Kind == PlainKind.Number && PlainNumber.Of(Text) is null;
}
