namespace Jackdaw.Simulation.Medium;

/// <summary>What a name leads to: a file or a folder.</summary>
internal interface ISimulatedNode;
