using System.Buffers;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Rooms;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents.EventStreams;

/// <summary>Events as documents inside the transaction that is being written.</summary>
internal sealed class EventsInTransaction(ChangeVectorHistory changeVectors) : IEventsInTransaction
{
    public bool TryWrite(PageTransaction transaction, ReadOnlySpan<byte> lowerId, IBufferWriter<byte> output)
    {
        using var events = Open(transaction);
        if (!events.TryGet(lowerId, deletedToo: false, out var document))
            return false;
        DocumentJson.Write(document, output);
        return true;
    }

    public byte[]? FindChangeVector(PageTransaction transaction, ReadOnlySpan<byte> lowerId)
    {
        using var events = Open(transaction);
        return events.TryGet(lowerId, deletedToo: false, out var document) ? document.ChangeVector.ToArray() : null;
    }

    private EventDocuments Open(PageTransaction transaction) => new(new RoomReader(transaction, EventsRoom.Instance), changeVectors);
}
