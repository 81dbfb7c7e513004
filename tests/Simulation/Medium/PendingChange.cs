namespace Jackdaw.Simulation.Medium;

/// <summary>A change of a file that no sync covers yet.</summary>
/// <param name="Operation">Write, Allocate or Punch.</param>
/// <param name="Offset">In the file.</param>
/// <param name="Length">In bytes.</param>
/// <param name="Bytes">Write: where its bytes begin in the file's store of pending bytes.</param>
internal readonly record struct PendingChange(DiskOperation Operation, long Offset, int Length, int Bytes);
