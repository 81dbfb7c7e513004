namespace Jackdaw.Server.Endpoints.Snapshots;

/// <summary>A download took so long that the bytes of its snapshot, which was replaced or deleted meanwhile, are removed. Its connection is
/// closed before the announced length.</summary>
internal sealed class SnapshotGoneException(long number)
    : Exception($"Snapshot {number} was replaced or deleted during its download, so long ago that its bytes are removed.");
