namespace Jackdaw.Documents.Layout;

/// <summary>A deletion with everything decided: what a replica could apply as it is.</summary>
internal readonly ref struct NewTombstone
{
    public ReadOnlySpan<byte> Id { get; init; }

    public ReadOnlySpan<byte> LowerId { get; init; }

    public long Etag { get; init; }

    public long DocumentEtag { get; init; }

    public ReadOnlySpan<byte> ChangeVector { get; init; }

    public long LastModifiedTicks { get; init; }

    public ReadOnlySpan<byte> Collection { get; init; }

    public uint CollectionId { get; init; }
}
