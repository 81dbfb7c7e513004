using Jackdaw.Storage.Transactions;

namespace Jackdaw.Simulation.Lazy;

/// <summary>A reader under way, and what it has to see until it ends.</summary>
internal sealed class LazyReader(ReadTransaction transaction, object[] state)
{
    public ReadTransaction Transaction { get; } = transaction;

    public object[] State { get; } = state;

    /// <summary>What it sees was taken back since it began.</summary>
    public bool IsRolledBack { get; set; }
}
