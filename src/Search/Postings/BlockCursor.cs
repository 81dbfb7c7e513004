using System.Buffers.Binary;
using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Postings;

/// <summary>Walks the blocks of one set. A move that returns false has left the set: seek again.</summary>
internal readonly struct BlockCursor(BTreeCursor cursor, uint set) : IDisposable
{
    /// <summary>The first id that belongs to the block.</summary>
    public long Key => BinaryPrimitives.ReadInt64BigEndian(cursor.Key[sizeof(uint)..]);

    /// <summary>Lies in page memory.</summary>
    public ReadOnlySpan<byte> Value => cursor.Value;

    public bool SeekFirst() => Seek(0);

    public bool SeekLast() => SeekBefore(long.MaxValue);

    /// <summary>To the first block whose key is not before this one.</summary>
    public bool Seek(long key)
    {
        Span<byte> bytes = stackalloc byte[BlockTree.KeyBytes];
        BlockTree.WriteKey(bytes, set, key);
        return cursor.Seek(bytes) && IsInSet();
    }

    /// <summary>To the last block whose key is before this one.</summary>
    public bool SeekBefore(long key)
    {
        Span<byte> bytes = stackalloc byte[BlockTree.KeyBytes];
        BlockTree.WriteKey(bytes, set, key);
        return cursor.SeekBefore(bytes) && IsInSet();
    }

    /// <summary>From a block that begins no later than the id to the last block that does. Often it is the one where the cursor stands, so
    /// that is looked at first.</summary>
    public void AdvanceTo(long id)
    {
        if (!MoveNext())
        {
            SeekLast();
            return;
        }
        if (Key > id)
        {
            MovePrevious();
            return;
        }
        bool found = SeekBefore(id == long.MaxValue ? id : id + 1);
        Invariant.Require(found);
    }

    public bool MoveNext() => cursor.MoveNext() && IsInSet();

    public bool MovePrevious() => cursor.MovePrevious() && IsInSet();

    /// <inheritdoc/>
    public void Dispose() => cursor?.Dispose();

    private bool IsInSet()
    {
        var key = cursor.Key;
        Invariant.Require(key.Length == BlockTree.KeyBytes);
        return BinaryPrimitives.ReadUInt32BigEndian(key) == set;
    }
}
