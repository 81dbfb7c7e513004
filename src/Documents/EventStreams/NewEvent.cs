namespace Jackdaw.Documents.EventStreams;

/// <summary>An event to be appended. Texts are UTF-8; their memory is copied, that of the payload is not.</summary>
public readonly ref struct NewEvent
{
    /// <summary>Its bytes. They must stay as they are until the append was awaited.</summary>
    public ReadOnlyMemory<byte> Payload { get; init; }

    /// <summary>Its bytes in Base64, instead of <see cref="Payload"/>; decoded at once.</summary>
    public ReadOnlySpan<byte> PayloadBase64 { get; init; }

    /// <summary>The payload is a JSON text.</summary>
    public bool IsJson { get; init; }

    /// <summary>The number of the serializer that made the payload.</summary>
    public int Serializer { get; init; }

    /// <summary>UTC ticks, at least 0; null: the time of the transaction.</summary>
    public long? Ticks { get; init; }

    /// <summary>The serializer's manifest.</summary>
    public ReadOnlySpan<byte> Manifest { get; init; }

    /// <summary>The event adapter's manifest.</summary>
    public ReadOnlySpan<byte> AdapterManifest { get; init; }

    /// <summary>Its tags, in any order; null: none.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>>? Tags { get; init; }
}
