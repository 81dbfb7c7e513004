namespace Jackdaw.Simulation.Medium;

/// <summary>The simulated machine lost its power within a disk operation. Deliberately no StorageException: no engine code may
/// handle it.</summary>
public sealed class PowerCutException() : Exception("The power went out.");
