using System.Buffers;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Documents.Writing;

/// <summary>Events as documents inside the transaction that is being written: scripts load them, and batches expect them.</summary>
internal interface IEventsInTransaction
{
    /// <summary>Writes an event as a document goes over the wire; false when there is none.</summary>
    bool TryWrite(PageTransaction transaction, ReadOnlySpan<byte> lowerId, IBufferWriter<byte> output);

    /// <summary>The change vector of an event; null when there is none.</summary>
    byte[]? FindChangeVector(PageTransaction transaction, ReadOnlySpan<byte> lowerId);
}
