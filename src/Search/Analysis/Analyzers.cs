using Jackdaw.Storage;

namespace Jackdaw.Search.Analysis;

/// <summary>The analyzers by kind.</summary>
internal static class Analyzers
{
    private static readonly ExactAnalyzer s_exact = new();
    private static readonly LowerCaseKeywordAnalyzer s_lowerCaseKeyword = new();
    private static readonly StandardAnalyzer s_standard = new();

    public static IAnalyzer Of(AnalyzerKind kind)
    {
        Invariant.Require(kind is AnalyzerKind.Exact or AnalyzerKind.LowerCaseKeyword or AnalyzerKind.Standard);
        return kind switch
        {
            AnalyzerKind.Exact => s_exact,
            AnalyzerKind.LowerCaseKeyword => s_lowerCaseKeyword,
            _ => s_standard,
        };
    }
}
