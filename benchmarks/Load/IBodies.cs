namespace Jackdaw.Bench.Load;

/// <summary>Documents to load, each made from its number alone.</summary>
internal interface IBodies
{
    /// <summary>Bytes of the longest.</summary>
    int LongestBody { get; }

    /// <summary>Writes one document's JSON, with its metadata; returns its bytes.</summary>
    int WriteBody(long number, Span<byte> destination);
}
