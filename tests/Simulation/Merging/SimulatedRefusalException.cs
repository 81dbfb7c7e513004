using Jackdaw.Documents.Errors;

namespace Jackdaw.Simulation.Merging;

/// <summary>A declared error in the middle of an operation's changes.</summary>
public sealed class SimulatedRefusalException() : OperationException("Refused by the simulation.");
