using System.Buffers.Binary;
using System.Collections.Concurrent;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Postings;

/// <summary>
/// The blocks of one large set within the tree that all large sets of a dictionary share, by the first id that belongs to each. Layout:
/// docs/search-format.md, "Block".
/// </summary>
internal readonly struct BlockTree
{
    /// <summary>Bytes of a key: the set's number, then the id.</summary>
    public const int KeyBytes = sizeof(uint) + sizeof(long);

    private static readonly ConcurrentDictionary<string, string> s_blockNames = new(StringComparer.Ordinal);
    private static readonly ConcurrentDictionary<string, string> s_positionNames = new(StringComparer.Ordinal);

    private readonly BTree _tree;
    private readonly uint _set;

    private BlockTree(BTree tree, uint set)
    {
        _tree = tree;
        _set = set;
    }

    /// <summary>The tree of all blocks of a dictionary.</summary>
    public static string BlocksName(string dictionary) => s_blockNames.GetOrAdd(dictionary, static name => name + "/blocks");

    /// <summary>The tree of all position blocks of a dictionary.</summary>
    public static string PositionsName(string dictionary) => s_positionNames.GetOrAdd(dictionary, static name => name + "/positions");

    /// <summary>The blocks of a set. Its number is the term's.</summary>
    public static BlockTree Blocks(BTree dictionary, uint set) =>
        new(dictionary.Transaction.Catalog.OpenTree(BlocksName(dictionary.Name)), set);

    /// <summary>The position blocks of a set.</summary>
    public static BlockTree Positions(BTree dictionary, uint set) =>
        new(dictionary.Transaction.Catalog.OpenTree(PositionsName(dictionary.Name)), set);

    public bool TryGet(long key, out ReadOnlySpan<byte> value)
    {
        Span<byte> bytes = stackalloc byte[KeyBytes];
        WriteKey(bytes, _set, key);
        return _tree.TryGet(bytes, out value);
    }

    public void Put(long key, ReadOnlySpan<byte> value)
    {
        Span<byte> bytes = stackalloc byte[KeyBytes];
        WriteKey(bytes, _set, key);
        _tree.Put(bytes, value);
    }

    public bool Delete(long key)
    {
        Span<byte> bytes = stackalloc byte[KeyBytes];
        WriteKey(bytes, _set, key);
        return _tree.Delete(bytes);
    }

    /// <summary>A cursor over the set's blocks; dispose of it.</summary>
    public BlockCursor OpenCursor() => new(_tree.OpenCursor(), _set);

    internal static void WriteKey(Span<byte> bytes, uint set, long key)
    {
        BinaryPrimitives.WriteUInt32BigEndian(bytes, set);
        BinaryPrimitives.WriteInt64BigEndian(bytes[sizeof(uint)..], key);
    }
}
