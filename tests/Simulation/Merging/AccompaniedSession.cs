using Jackdaw.Documents.Tombstones;
using Jackdaw.Storage;

namespace Jackdaw.Simulation.Merging;

/// <summary>A session as those see it who work beside its callers.</summary>
/// <param name="Documents">The database's environment.</param>
/// <param name="Positions">Who holds deletions back.</param>
/// <param name="LastDurableEtag">The highest etag that is durable.</param>
/// <param name="Submit">Hands an operation to the merger; false: too much waits.</param>
internal sealed record AccompaniedSession(
    StorageEnvironment Documents,
    ConsumerPositions Positions,
    Func<long> LastDurableEtag,
    Func<SimulatedOperation, bool> Submit
);
