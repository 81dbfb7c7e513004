namespace Jackdaw.Documents.Layout;

/// <summary>
/// A document with everything decided (id, etag, change vector, time): what a replica could apply as it is. The body is the two
/// parts one after
/// the other.
/// </summary>
internal readonly ref struct NewDocument
{
    public ReadOnlySpan<byte> Id { get; init; }

    public ReadOnlySpan<byte> LowerId { get; init; }

    public long Etag { get; init; }

    public ReadOnlySpan<byte> ChangeVector { get; init; }

    public long LastModifiedTicks { get; init; }

    public ReadOnlySpan<byte> Collection { get; init; }

    public uint CollectionId { get; init; }

    public DocumentFlags Flags { get; init; }

    public ReadOnlySpan<byte> Metadata { get; init; }

    /// <summary>Those that the metadata names.</summary>
    public DocumentDates Dates { get; init; }

    public ReadOnlySpan<byte> BodyHead { get; init; }

    public ReadOnlySpan<byte> BodyTail { get; init; }
}
