using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Jackdaw.Search.Fields;
using Jackdaw.Search.Postings;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Search.Columns;

/// <summary>Reads one field's lengths.</summary>
internal sealed class StoredLengths(PageTransaction transaction, KnownField field) : IFieldLengths
{
    public uint LengthOf(long entry)
    {
        Span<byte> key = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(key, checked((uint)(entry / LengthChunk.Lengths)));
        return transaction.Catalog.OpenTree(field.LengthsName).TryGet(key, out var chunk)
            ? MemoryMarshal.Cast<byte, uint>(chunk)[(int)(entry % LengthChunk.Lengths)]
            : 0;
    }
}
