namespace Jackdaw.Search.Matching;

/// <summary>Terms that end with a text, or contain it.</summary>
internal sealed class EdgeTest(byte[] text, bool isAnywhere) : ITermTest
{
    public ReadOnlySpan<byte> Prefix => default;

    public bool Fits(ReadOnlySpan<byte> term, ref long work)
    {
        work += isAnywhere ? term.Length : 1;
        return isAnywhere ? term.IndexOf(text) >= 0 : term.EndsWith(text);
    }
}
