using Jackdaw.Etl.Positions;

namespace Jackdaw.Etl.Tests;

/// <summary>What outlives the tasks where a sink keeps the positions itself: messages and positions, which change together or not
/// at all.</summary>
internal sealed class KeptBroker
{
    public List<Received> Ledger { get; init; } = [];

    public Dictionary<string, TaskPosition> Positions { get; } = [];

    /// <summary>The dead letters that were sent along with a position, by transform.</summary>
    public Dictionary<string, IReadOnlyList<string>> Retried { get; } = [];

    /// <summary>The batches that were sent along with a position, by transform.</summary>
    public Dictionary<string, Guid?> Batches { get; } = [];

    /// <summary>Openings that were a person's order to take over.</summary>
    public int TakeOvers { get; set; }
}
