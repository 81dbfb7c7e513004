namespace Jackdaw.Simulation.Merging;

/// <summary>A group of events that is sent.</summary>
internal sealed record ModelGroup(
    string Stream,
    long? First,
    long? ExpectedLast,
    string Writer,
    bool TakesOver,
    IReadOnlyList<ModelEvent> Events
)
{
    public long FirstNumber => First ?? ExpectedLast!.Value + 1;

    public override string ToString() =>
        $"{Stream} {FirstNumber}+{Events.Count}{(ExpectedLast is { } last ? $" after {last}" : "")}"
        + $"{(Writer.Length > 0 ? $" by {Writer}" : "")}{(TakesOver ? " taking over" : "")}";
}
