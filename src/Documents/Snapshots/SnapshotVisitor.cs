namespace Jackdaw.Documents.Snapshots;

/// <summary>Sees a snapshot. False: that was the last one wanted.</summary>
public delegate bool SnapshotVisitor(in StoredSnapshot snapshot);
