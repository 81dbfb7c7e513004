using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Simulation.Workloads;

/// <summary>
/// One sort of content that transactions change, and the model of what it must be. A state is immutable: the state of every
/// transaction stays
/// to be compared with what a reader of that transaction sees.
/// </summary>
internal interface IWorkload
{
    /// <summary>The state of a new environment.</summary>
    object Empty { get; }

    /// <summary>Makes one random change and returns the state after it. What it throws leaves the transaction to be given up.</summary>
    object Change(WriteTransaction transaction, object state, SimulatedRandom random);

    /// <summary>Takes everything away.</summary>
    object Clear(WriteTransaction transaction, object state);

    /// <summary>Reads <paramref name="share"/> (0 to 1) of the content, all of it at 1, and throws <see cref="OracleException"/>
    /// where it differs from the state.</summary>
    void Verify(PageTransaction transaction, object state, double share, SimulatedRandom random);

    /// <summary>Visits pages that no structure of the catalog owns, and reports broken rules that the catalog's own check does
    /// not know of.</summary>
    void Check(PageTransaction transaction, object state, IPageVisitor visitor);
}
