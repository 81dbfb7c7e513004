namespace Jackdaw.Documents.Snapshots;

/// <summary>A snapshot as it is stored, without its bytes.</summary>
/// <param name="Number">Of the last event that it contains.</param>
/// <param name="Ticks">UTC.</param>
/// <param name="SizeBytes">Of its bytes.</param>
/// <param name="Serializer">As the client gave it.</param>
/// <param name="Manifest">As the client gave it; "" for none.</param>
/// <param name="Content">Names its bytes: <see cref="SnapshotsReader.ReadBytes"/>. Never used again for others.</param>
public readonly record struct StoredSnapshot(long Number, long Ticks, long SizeBytes, int Serializer, string Manifest, long Content);
