using System.Buffers.Binary;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Tables;

/// <summary>
/// A row's entry in an index's tree. Unique: index key → primary key. Otherwise: index key ++ primary key → length of the index
/// key (2 bytes).
/// </summary>
internal readonly ref struct IndexEntry
{
    /// <summary>What <see cref="Of"/> needs: room for the longest index key before a primary key is put behind it.</summary>
    public const int BufferBytes = 2 * BTree.MaxKeyBytes;

    private const int LengthBytes = sizeof(ushort);

    private readonly int _indexKeyLength;
    private readonly bool _isUnique;

    private IndexEntry(ReadOnlySpan<byte> key, int indexKeyLength, bool isUnique)
    {
        Key = key;
        _indexKeyLength = indexKeyLength;
        _isUnique = isUnique;
    }

    /// <summary>The key in the index's tree.</summary>
    public ReadOnlySpan<byte> Key { get; }

    /// <summary>The index leaves the row out.</summary>
    public bool IsNone => _indexKeyLength < 0;

    /// <summary>Throws <see cref="LimitExceededException"/> when the key with the primary key behind it is too long.</summary>
    public static IndexEntry Of(TableIndex index, ReadOnlySpan<byte> row, ReadOnlySpan<byte> primaryKey, Span<byte> buffer)
    {
        int length = index.ExtractKey(row, primaryKey, buffer[..BTree.MaxKeyBytes]);
        if (length < 0)
            return new IndexEntry(default, -1, index.IsUnique);
        if (index.IsUnique)
            return new IndexEntry(buffer[..length], length, isUnique: true);
        int total = length + primaryKey.Length;
        if (total > BTree.MaxKeyBytes)
            throw new LimitExceededException(
                $"The key in index '{index.TreeName}' in bytes",
                total,
                BTree.MaxKeyBytes,
                "fixed by the storage format"
            );
        primaryKey.CopyTo(buffer[length..]);
        return new IndexEntry(buffer[..total], length, isUnique: false);
    }

    /// <summary>Length of the index key within a non-unique index's tree key.</summary>
    public static int IndexKeyLength(ReadOnlySpan<byte> value)
    {
        Invariant.Require(value.Length == LengthBytes);
        return BinaryPrimitives.ReadUInt16LittleEndian(value);
    }

    public bool HasSameKey(IndexEntry other) => IsNone == other.IsNone && Key.SequenceEqual(other.Key);

    public int ValueLength(ReadOnlySpan<byte> primaryKey) => _isUnique ? primaryKey.Length : LengthBytes;

    public void WriteValue(Span<byte> room, ReadOnlySpan<byte> primaryKey)
    {
        if (_isUnique)
            primaryKey.CopyTo(room);
        else
            BinaryPrimitives.WriteUInt16LittleEndian(room, (ushort)_indexKeyLength);
    }

    public bool HasValue(ReadOnlySpan<byte> value, ReadOnlySpan<byte> primaryKey) =>
        _isUnique ? value.SequenceEqual(primaryKey) : value.Length == LengthBytes && IndexKeyLength(value) == _indexKeyLength;
}
