using System.Collections.Immutable;
using Jackdaw.Documents;

namespace Jackdaw.Simulation.Merging;

/// <summary>A stream as the model knows it.</summary>
internal sealed record EventStreamState(string Id, int Order)
{
    public long Highest { get; init; }

    public long DeletedUpTo { get; init; }

    public string Writer { get; init; } = "";

    /// <summary>The newest first.</summary>
    public ImmutableList<string> Replaced { get; init; } = [];

    /// <summary>By number; deleted ones, too, until their rows are removed.</summary>
    public ImmutableSortedDictionary<long, EventState> Events { get; init; } = ImmutableSortedDictionary<long, EventState>.Empty;

    /// <summary>The last ones whose rows were removed.</summary>
    public ImmutableList<EventState> Removed { get; init; } = [];

    public EventStreamState WithWriter(string writer) =>
        writer.Length == 0 || writer == Writer
            ? this
            : this with
            {
                Writer = writer,
                Replaced =
                [
                    .. (Writer.Length == 0 ? Replaced : Replaced.Insert(0, Writer))
                        .Where(w => w != writer)
                        .Take(Limits.KeptReplacedWriters),
                ],
            };

    /// <summary>Was each event of the group stored just so?</summary>
    public bool IsRepeatedBy(ModelGroup group)
    {
        for (var i = 0; i < group.Events.Count; i++)
        {
            var number = group.FirstNumber + i;
            var stored = Events.GetValueOrDefault(number) ?? Removed.Find(removed => removed.Number == number);
            if (stored is null)
            {
                // Of a group that is longer than what is remembered, the end is enough.
                var isForgotten = Removed.Count == Limits.KeptEventDigests && number < Removed[0].Number;
                if (!isForgotten || i == group.Events.Count - 1)
                    return false;
            }
            else if (!stored.IsRepeatedBy(group, group.Events[i]))
            {
                return false;
            }
        }
        return true;
    }
}
