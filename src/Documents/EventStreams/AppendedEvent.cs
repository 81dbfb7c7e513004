using Jackdaw.Documents.Buffers;

namespace Jackdaw.Documents.EventStreams;

/// <summary>An event of an append, as it was sent. Texts are pieces of the append's own memory.</summary>
/// <param name="IsJson">The payload is a JSON text.</param>
/// <param name="Payload">Its bytes, where they are the caller's memory.</param>
/// <param name="OwnPayload">Its bytes, where they are the append's.</param>
/// <param name="Serializer">The number of its serializer.</param>
/// <param name="Ticks">UTC; null: the time of the transaction.</param>
/// <param name="FirstTag">Index of its first tag in the append's list.</param>
/// <param name="TagCount">Tags, each one once.</param>
internal readonly record struct AppendedEvent(
    bool IsJson,
    ReadOnlyMemory<byte> Payload,
    ByteRange OwnPayload,
    int Serializer,
    long? Ticks,
    ByteRange Manifest,
    ByteRange AdapterManifest,
    int FirstTag,
    int TagCount
)
{
    public int PayloadBytes => Payload.Length + OwnPayload.Length;
}
