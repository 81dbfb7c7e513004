using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Columns;

/// <summary>
/// Writes cells of one size into the chunks of a tree, in ascending order of entries. A cell of zeros is no cell, and a chunk without cells
/// is deleted.
/// </summary>
internal ref struct ChunkWriter<TCell>(BTree tree, int cellsInChunk)
    where TCell : unmanaged
{
    private Span<TCell> _chunk;
    private long _chunkNumber = -1;
    private bool _hasCleared;

    public void Write(long entry, in TCell cell)
    {
        long number = entry / cellsInChunk;
        Invariant.Require(entry >= 0 && number >= _chunkNumber, "cells are written in ascending order");
        if (number != _chunkNumber)
        {
            End();
            Open(number);
        }
        _hasCleared |= IsNothing(cell);
        _chunk[(int)(entry % cellsInChunk)] = cell;
    }

    /// <summary>Ends the last chunk. Nothing else may be modified through the transaction between the first write and this.</summary>
    public void End()
    {
        if (_chunkNumber >= 0 && _hasCleared && !MemoryMarshal.AsBytes(_chunk).ContainsAnyExcept((byte)0))
        {
            Span<byte> key = stackalloc byte[sizeof(uint)];
            BinaryPrimitives.WriteUInt32BigEndian(key, (uint)_chunkNumber);
            tree.Delete(key);
        }
        _hasCleared = false;
        _chunkNumber = -1;
    }

    private void Open(long number)
    {
        Span<byte> key = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(key, checked((uint)number));
        if (!tree.TryModify(key, out var bytes))
        {
            bytes = tree.Reserve(key, cellsInChunk * System.Runtime.CompilerServices.Unsafe.SizeOf<TCell>(), out _);
            bytes.Clear();
        }
        _chunk = MemoryMarshal.Cast<byte, TCell>(bytes);
        Invariant.Require(_chunk.Length == cellsInChunk);
        _chunkNumber = number;
    }

    private static bool IsNothing(in TCell cell) => !MemoryMarshal.AsBytes(new ReadOnlySpan<TCell>(in cell)).ContainsAnyExcept((byte)0);
}
