namespace Jackdaw.Documents.Layout;

/// <summary>Collections that the server itself names.</summary>
internal static class CollectionNames
{
    /// <summary>Documents stored without a collection; not shown when they are read.</summary>
    public static ReadOnlySpan<byte> Empty => "@empty"u8;

    /// <summary>Documents that hold the state of HiLo ranges.</summary>
    public static ReadOnlySpan<byte> HiLo => "@hilo"u8;
}
