namespace Jackdaw.Search;

/// <summary>How texts become terms. The values are those of the format.</summary>
public enum AnalyzerKind : byte
{
    /// <summary>The whole text in lower case (invariant) is the term.</summary>
    LowerCaseKeyword = 1,

    /// <summary>The whole text is the term.</summary>
    Exact = 2,

    /// <summary>Words by Unicode's rules, in lower case, without English stop words.</summary>
    Standard = 3,
}
