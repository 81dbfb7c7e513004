namespace Jackdaw.Simulation.Medium;

/// <summary>What became of an operation.</summary>
public enum DiskOutcome
{
    Done,
    Short,
    Failed,
    NoSpace,
    Misdirected,
    PowerCut,
}
