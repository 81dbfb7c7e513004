namespace Jackdaw.Documents.Errors;

/// <summary>A database has as many uploads of snapshots under way as it takes; thrown before anything is read or stored. Worth a 503 with
/// Retry-After.</summary>
public sealed class TooManySnapshotUploadsException()
    : Exception(
        $"{Limits.MaxSnapshotUploads} uploads of snapshots to this database are under way, and it takes no more at a time "
            + $"({nameof(Limits)}.{nameof(Limits.MaxSnapshotUploads)}, fixed). Try again in a moment."
    );
