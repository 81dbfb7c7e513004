using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Tables;

/// <summary>Room for keys while one operation of a table runs; one set a thread, so that opening a table costs nothing.</summary>
internal sealed class KeyBuffers
{
    [ThreadStatic]
    private static KeyBuffers? _ofThread;

    public static KeyBuffers OfThread => _ofThread ??= new KeyBuffers();

    /// <summary>A stored row's key in an index.</summary>
    public byte[] Old { get; } = new byte[IndexEntry.BufferBytes];

    /// <summary>A new row's key in an index.</summary>
    public byte[] New { get; } = new byte[IndexEntry.BufferBytes];

    public byte[] Primary { get; } = new byte[BTree.MaxKeyBytes];
}
