namespace Jackdaw.Search.Analysis;

/// <summary>Takes texts apart into terms. Stateless and thread-safe.</summary>
internal interface IAnalyzer
{
    /// <summary>Hands each term to <paramref name="sink"/> in the order of the text. Invalid UTF-8 counts as U+FFFD.</summary>
    void Analyze(ReadOnlySpan<byte> utf8, ITermSink sink);
}
