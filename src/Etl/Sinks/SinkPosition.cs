using Jackdaw.Etl.Positions;

namespace Jackdaw.Etl.Sinks;

/// <summary>How far a transform is, as a sink keeps it: see <see cref="IPositionKeeper"/>.</summary>
/// <param name="Transform">The transform's name as <see cref="Name"/> gives it.</param>
/// <param name="Position">Everything up to it is settled.</param>
/// <param name="RetriedDeadLetters">The ids of the dead letters that were sent along with this position; null when none was.</param>
/// <param name="Batch">Whose messages were sent along with it (<see cref="Running.Batch.Id"/>); null when none were.</param>
internal readonly record struct SinkPosition(
    string Transform,
    TaskPosition Position,
    IReadOnlyList<string>? RetriedDeadLetters = null,
    Guid? Batch = null
)
{
    /// <summary>A transform is found again whatever the casing of its name.</summary>
    public static string Name(string transform) => transform.ToLowerInvariant();
}
