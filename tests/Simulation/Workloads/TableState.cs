using System.Collections.Immutable;

namespace Jackdaw.Simulation.Workloads;

/// <summary>The model of a table and of its tombstones.</summary>
/// <param name="Rows">By primary key.</param>
/// <param name="Tombstones">Etag to the primary key of what was deleted.</param>
/// <param name="LastEtag">Given out.</param>
internal sealed record TableState(
    ImmutableSortedDictionary<int, TableRow> Rows,
    ImmutableSortedDictionary<long, int> Tombstones,
    long LastEtag
);
