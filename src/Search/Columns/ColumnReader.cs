using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Columns;

/// <summary>Reads cells of one column. Entries that follow each other cost one look-up a chunk.</summary>
internal sealed unsafe class ColumnReader(BTree column)
{
    private ColumnCell* _chunk;
    private long _number = -1;

    /// <summary>The entry's cell; one of zeros where it has none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ColumnCell Cell(long entry)
    {
        long number = (long)((ulong)entry / ColumnCell.InChunk);
        if (number != _number)
            Open(number);
        return _chunk == null ? default : _chunk[entry - number * ColumnCell.InChunk];
    }

    private void Open(long number)
    {
        Span<byte> key = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(key, checked((uint)number));
        _chunk = null;
        _number = number;
        if (!column.TryGet(key, out var chunk))
            return;
        Invariant.Require(chunk.Length == ColumnCell.ChunkBytes);
        // Page memory, which stays where it is until the transaction ends.
        _chunk = (ColumnCell*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(chunk));
    }
}
