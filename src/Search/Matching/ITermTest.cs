namespace Jackdaw.Search.Matching;

/// <summary>Says of a term whether a pattern fits it.</summary>
internal interface ITermTest
{
    /// <summary>What the terms that can fit begin with.</summary>
    ReadOnlySpan<byte> Prefix { get; }

    /// <summary>Does the pattern fit?</summary>
    /// <param name="term">The whole term, UTF-8.</param>
    /// <param name="work">Grows by the steps taken.</param>
    bool Fits(ReadOnlySpan<byte> term, ref long work);
}
