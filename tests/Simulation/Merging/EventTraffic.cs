using Jackdaw.Simulation.Medium;

namespace Jackdaw.Simulation.Merging;

/// <summary>Appends and deletions of events: few streams, writers and tags, so that they get in each other's way.</summary>
internal sealed class EventTraffic(SimulatedRandom random)
{
    private const int Remembered = 60;

    /// <summary>Twins by casing are two streams.</summary>
    private static readonly string[] s_streams =
    [
        "a",
        "A",
        "account-1",
        "account-2",
        "Account-1",
        "a/b",
        "ä",
        "long-" + new string('x', 300),
    ];

    private static readonly string[] s_tags = ["red", "Red", "green", "blue", "w1"];

    private readonly List<IReadOnlyList<ModelGroup>> _sent = [];
    private int _number;

    public string DrawStream() => s_streams[random.Next(s_streams.Length)];

    /// <summary>New groups, or some that were sent before: their answer may have been lost.</summary>
    /// <param name="known">A state that some caller may know of.</param>
    public IReadOnlyList<ModelGroup> DrawAppend(EventsState known)
    {
        if (_sent.Count > 0 && random.OneIn(4))
            return _sent[random.Next(_sent.Count)];
        var groups = Enumerable.Range(0, random.OneIn(3) ? random.Next(2, 6) : 1).Select(_ => Group(known)).ToList();
        // Of one stream several groups follow each other now and then, or repeat each other.
        if (random.OneIn(5))
        {
            var last = groups[^1];
            groups.Add(
                random.OneIn(3) ? last : last with { First = last.FirstNumber + last.Events.Count, ExpectedLast = null, Events = Events() }
            );
        }
        if (_sent.Count < Remembered)
            _sent.Add(groups);
        else
            _sent[random.Next(Remembered)] = groups;
        return groups;
    }

    /// <summary>Mostly some of what is there; now and then everything, or nothing.</summary>
    public long DrawDeletion(EventsState known, string stream)
    {
        var highest = known.Streams.GetValueOrDefault(stream)?.Highest ?? 0;
        return random.Next(6) switch
        {
            0 => long.MaxValue,
            1 => random.Coin() ? 0 : Math.Max(0, highest - random.Next(20)),
            _ => random.Next((int)Math.Min(highest, 1000) + 2),
        };
    }

    private ModelGroup Group(EventsState known)
    {
        var stream = DrawStream();
        var highest = known.Streams.GetValueOrDefault(stream)?.Highest ?? 0;
        var writer = random.Next(8) switch
        {
            < 3 => "",
            < 7 => known.Streams.GetValueOrDefault(stream)?.Writer ?? "w0",
            _ => $"w{random.Next(16)}",
        };
        var first = random.Next(8) switch
        {
            0 => Math.Max(1, highest - random.Next(3)),
            1 => highest + 1 + (random.OneIn(10) ? 1L << 40 : random.Next(3)),
            _ => highest + 1,
        };
        long? expected = random.OneIn(3) ? Math.Max(0, random.OneIn(4) ? highest - 1 : highest) : null;
        return new ModelGroup(stream, expected is not null && random.Coin() ? null : first, expected, writer, random.OneIn(12), Events());
    }

    private List<ModelEvent> Events() =>
        [.. Enumerable.Range(0, random.OneIn(6) ? random.Next(3, 40) : random.Next(1, 4)).Select(_ => Event())];

    private ModelEvent Event()
    {
        var bytes =
            random.OneIn(40) ? random.Next(1500, 1600)
            : random.OneIn(8) ? random.Next(1400)
            : random.Next(60);
        return new ModelEvent(
            $"{{\"n\":{++_number},\"t\":\"{new string('e', bytes)}\"}}",
            IsJson: random.Coin(),
            Serializer: random.Next(3),
            Ticks: random.OneIn(3) ? null : 638_000_000_000_000_000 + _number,
            Manifest: random.Coin() ? "" : $"m{random.Next(4)}",
            AdapterManifest: random.OneIn(5) ? $"m{random.Next(4)}" : "",
            Tags: [.. Enumerable.Range(0, random.Next(3)).Select(_ => s_tags[random.Next(s_tags.Length)])]
        );
    }
}
