using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;

namespace Jackdaw.Simulation.Merging;

/// <summary>Groups of events appended.</summary>
internal sealed class SimulatedAppend(AppendOperation operation, IReadOnlyList<ModelGroup> groups) : SimulatedOperation(operation)
{
    /// <summary>A payload over this is too large, so that some are.</summary>
    public static readonly Limits EventLimits = new() { MaxEventBytes = 1500 };

    public override bool IsSmall => false;

    public IReadOnlyList<ModelGroup> Groups => groups;

    public static AppendOperation ToOperation(IReadOnlyList<ModelGroup> groups)
    {
        var operation = new AppendOperation(EventLimits);
        foreach (var group in groups)
        {
            var added = operation.AddGroup();
            added.SetStream(Encoding.UTF8.GetBytes(group.Stream));
            added.SetWriter(Encoding.UTF8.GetBytes(group.Writer));
            added.First = group.First;
            added.ExpectedLast = group.ExpectedLast;
            added.TakesOver = group.TakesOver;
            foreach (var sent in group.Events)
            {
                added.Add(
                    new NewEvent
                    {
                        Payload = Encoding.UTF8.GetBytes(sent.Payload),
                        IsJson = sent.IsJson,
                        Serializer = sent.Serializer,
                        Ticks = sent.Ticks,
                        Manifest = Encoding.UTF8.GetBytes(sent.Manifest),
                        AdapterManifest = Encoding.UTF8.GetBytes(sent.AdapterManifest),
                        Tags = [.. sent.Tags.Select(tag => (ReadOnlyMemory<byte>)Encoding.UTF8.GetBytes(tag))],
                    }
                );
            }
        }
        operation.Complete();
        return operation;
    }

    public override string ToString() => $"operation {Number} (append {string.Join(", ", groups)})";

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        var (events, outcomes, lastEtag) = before.Events.Append(groups, before.LastEtag, ExecutedAt, EventLimits.MaxEventBytes);
        if (kept)
            RequireOutcomes(events, outcomes);
        return (ReferenceEquals(events, before.Events) ? before : before with { Events = events, LastEtag = lastEtag }, null);
    }

    private void RequireOutcomes(EventsState after, AppendOutcome[] outcomes)
    {
        for (var i = 0; i < groups.Count; i++)
        {
            var result = operation.Groups[i];
            Require(result.Outcome == outcomes[i], $"group {i} ({groups[i]}) came to {result.Outcome} instead of {outcomes[i]}");
            var stream = after.Streams.GetValueOrDefault(groups[i].Stream);
            Require(result.Highest == (stream?.Highest ?? 0), $"group {i} was told the highest number {result.Highest}");
            var last =
                outcomes[i] == AppendOutcome.Stored
                    ? stream!.Events.GetValueOrDefault(groups[i].FirstNumber + groups[i].Events.Count - 1)
                    : null;
            Require(
                result.LastPosition == (last?.Position ?? 0),
                $"group {i} was told the position {result.LastPosition} instead of {last?.Position}"
            );
        }
    }
}
