using System.Collections.Immutable;
using System.Globalization;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;

namespace Jackdaw.Simulation.Merging;

/// <summary>All event streams of a database in plain collections, and what appends, deletions and cleaning make of them.</summary>
internal sealed record EventsState
{
    public static readonly EventsState Empty = new();

    public ImmutableSortedDictionary<string, EventStreamState> Streams { get; init; } =
        ImmutableSortedDictionary.Create<string, EventStreamState>(StringComparer.Ordinal);

    /// <summary>In the order of etags.</summary>
    public ImmutableList<EventDeletionState> Deletions { get; init; } = [];

    /// <summary>What a reader sees, by position.</summary>
    public IEnumerable<EventState> Visible =>
        Streams.Values.SelectMany(s => s.Events.Values.Where(e => e.Number > s.DeletedUpTo)).OrderBy(e => e.Position);

    /// <summary>The highest etag of what is on disk: of an event, or of a deletion.</summary>
    public long LastChange =>
        Math.Max(
            Streams.Values.SelectMany(s => s.Events.Values).Select(e => e.Position).DefaultIfEmpty().Max(),
            Deletions.Count == 0 ? 0 : Deletions[^1].Etag
        );

    /// <summary>The id of an event as a document.</summary>
    public string DocumentIdOf(EventState stored) =>
        string.Create(CultureInfo.InvariantCulture, $"@events/{Streams[stored.Stream].Order + 1}/{stored.Number:D20}");

    /// <summary>Appends groups; etags go on after the given one. The rules are those of docs/event-streams.md, "Appending".</summary>
    public (EventsState After, AppendOutcome[] Outcomes, long LastEtag) Append(
        IReadOnlyList<ModelGroup> groups,
        long lastEtag,
        long nowTicks,
        int maxEventBytes
    )
    {
        var outcomes = new AppendOutcome[groups.Count];
        var refusals = new Dictionary<string, AppendOutcome>(StringComparer.Ordinal);
        // The first pass finds the streams that are refused, the second one stores without them.
        Pass(0);
        var (after, last) = Pass(lastEtag);
        return (after, outcomes, last);

        (EventsState, long) Pass(long etag)
        {
            var state = this;
            for (var i = 0; i < groups.Count; i++)
            {
                var group = groups[i];
                if (Streams.GetValueOrDefault(group.Stream)?.IsRepeatedBy(group) == true)
                {
                    outcomes[i] = AppendOutcome.Stored;
                    continue;
                }
                if (refusals.TryGetValue(group.Stream, out var refusal))
                {
                    outcomes[i] = refusal;
                    continue;
                }
                var stream = state.Streams.GetValueOrDefault(group.Stream) ?? new EventStreamState(group.Stream, state.Streams.Count);
                outcomes[i] = AppendOutcome.Stored;
                if (stream.IsRepeatedBy(group))
                    continue;
                outcomes[i] = Judge(stream, group, maxEventBytes);
                if (outcomes[i] is AppendOutcome.Fenced or AppendOutcome.Conflict or AppendOutcome.Duplicate)
                    refusals[group.Stream] = outcomes[i];
                if (outcomes[i] != AppendOutcome.Stored)
                    continue;
                for (var n = 0; n < group.Events.Count; n++)
                {
                    var sent = group.Events[n];
                    var number = group.FirstNumber + n;
                    var stored = new EventState(
                        group.Stream,
                        number,
                        ++etag,
                        group.Writer,
                        sent.Ticks ?? nowTicks,
                        sent.Payload,
                        sent.IsJson,
                        sent.Serializer,
                        sent.Manifest,
                        sent.AdapterManifest,
                        [.. sent.Tags]
                    );
                    stream = stream with { Events = stream.Events.Add(number, stored), Highest = number };
                }
                state = state with { Streams = state.Streams.SetItem(group.Stream, stream.WithWriter(group.Writer)) };
            }
            return (state, etag);
        }
    }

    /// <summary>Etags that a deletion takes: one for each number that it hides, or where numbers lie far apart one for each event on
    /// disk.</summary>
    public long EtagsOf(string stream, long upTo)
    {
        var found = Streams[stream];
        var hidden = Math.Min(upTo, found.Highest) - found.DeletedUpTo;
        return hidden <= 1 << 20 || hidden / 4 <= found.Events.Count ? hidden : found.Events.Count;
    }

    /// <param name="stream">Whose events are deleted.</param>
    /// <param name="upTo">The last number.</param>
    /// <param name="etag">The last of the deletion's etags.</param>
    /// <param name="nowTicks">The time.</param>
    public EventsState Delete(string stream, long upTo, long etag, long nowTicks)
    {
        var found = Streams[stream];
        var to = Math.Min(upTo, found.Highest);
        return this with
        {
            Streams = Streams.SetItem(stream, found with { DeletedUpTo = to }),
            Deletions = Deletions.Add(new EventDeletionState(etag, stream, to, nowTicks)),
        };
    }

    /// <summary>Would a deletion hide anything more?</summary>
    public bool Hides(string stream, long upTo) =>
        Streams.TryGetValue(stream, out var found) && Math.Min(upTo, found.Highest) > found.DeletedUpTo;

    /// <summary>Removes rows of deletions up to an etag, a bounded number; returns how many, records included.</summary>
    public (EventsState After, int Removed) Clean(long upToEtag)
    {
        var state = this;
        var removed = 0;
        while (removed < Limits.EventsPerCleaning && state.Deletions.Count > 0 && state.Deletions[0].Etag <= upToEtag)
        {
            var deletion = state.Deletions[0];
            var stream = state.Streams[deletion.Stream];
            foreach (
                var gone in stream.Events.Values.TakeWhile(e => e.Number <= deletion.To).Take(Limits.EventsPerCleaning - removed).ToList()
            )
            {
                removed++;
                var kept = stream.Removed.Add(gone);
                stream = stream with
                {
                    Events = stream.Events.Remove(gone.Number),
                    Removed = kept.Count > Limits.KeptEventDigests ? kept.RemoveAt(0) : kept,
                };
            }
            state = state with { Streams = state.Streams.SetItem(deletion.Stream, stream) };
            if (removed == Limits.EventsPerCleaning)
                break;
            state = state with { Deletions = state.Deletions.RemoveAt(0) };
            removed++;
        }
        return (state, removed);
    }

    private static AppendOutcome Judge(EventStreamState stream, ModelGroup group, int maxEventBytes)
    {
        if (stream.Replaced.Contains(group.Writer) && !group.TakesOver)
            return AppendOutcome.Fenced;
        if (group.ExpectedLast is { } expected && expected != stream.Highest)
            return AppendOutcome.Conflict;
        if (group.FirstNumber <= stream.Highest)
            return AppendOutcome.Duplicate;
        return group.Events.Any(e => e.Payload.Length > maxEventBytes) ? AppendOutcome.TooLarge : AppendOutcome.Stored;
    }
}
