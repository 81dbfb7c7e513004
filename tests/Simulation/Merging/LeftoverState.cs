using System.Collections.Immutable;

namespace Jackdaw.Simulation.Merging;

/// <summary>A content that no snapshot has, in the model.</summary>
/// <param name="IsUploading">Its upload was under way when this was written.</param>
/// <param name="Number">Of its record.</param>
/// <param name="Ticks">The time of the transaction that wrote it.</param>
/// <param name="Chunks">Bytes of each chunk that is still there.</param>
internal sealed record LeftoverState(bool IsUploading, long Number, long Ticks, ImmutableList<int> Chunks);
