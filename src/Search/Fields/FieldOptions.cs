namespace Jackdaw.Search;

/// <summary>How a field is indexed. Fixed when the field is made.</summary>
public sealed record FieldOptions
{
    /// <summary>How texts become terms.</summary>
    public AnalyzerKind Analyzer { get; init; } = AnalyzerKind.LowerCaseKeyword;

    /// <summary>The field has a column: results can be ordered by it in any number, and distinct values found.</summary>
    public bool IsSortable { get; init; } = true;

    /// <summary>Postings carry frequencies, and entries lengths: scores need both.</summary>
    public bool KeepsFrequencies { get; init; }

    /// <summary>Postings carry positions: phrases need them.</summary>
    public bool KeepsPositions { get; init; }

    /// <summary>The value is in the entry's stored section.</summary>
    public bool IsStored { get; init; }
}
