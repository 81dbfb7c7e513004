using System.Globalization;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;

namespace Jackdaw.Simulation.Merging;

/// <summary>A range of ids asked for.</summary>
internal sealed class SimulatedHiLo(NextHiLoOperation operation, string tag) : SimulatedOperation(operation)
{
    public override bool IsSmall => true;

    public static string IdOf(string tag) => "Raven/Hilo/" + tag;

    /// <summary>The highest id handed out; 0 for none.</summary>
    public static long MaxIn(DatabaseState state, string tag) =>
        state.Documents.TryGetValue(IdOf(tag).ToLowerInvariant(), out var document)
            ? long.Parse(document.Body["{\"Max\":".Length..^1], CultureInfo.InvariantCulture)
            : 0;

    public static DatabaseState WithMax(DatabaseState state, string tag, long max, long ticks) =>
        state.Put(IdOf(tag), "@hilo", $"{{\"Max\":{max}}}", "", ticks);

    public override string ToString() => $"operation {Number} (range of {tag})";

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        if (!kept)
            return (before, null);
        var max = MaxIn(before, tag);
        Require(operation.Low == max + 1, $"the range begins at {operation.Low} after {max}");
        Require(
            operation.LastSize == operation.High - max && operation.LastSize is >= Limits.MinHiLoRange and <= 1 << 20,
            $"the range ends at {operation.High}, its size is {operation.LastSize}"
        );
        return (WithMax(before, tag, operation.High, ExecutedAt), null);
    }
}
