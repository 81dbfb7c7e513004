using System.Globalization;
using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Expiring;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Simulation.Histories;
using Jackdaw.Simulation.Medium;

namespace Jackdaw.Simulation.Merging;

/// <summary>What callers submit: few ids and collections, so that they get in each other's way.</summary>
internal sealed class Traffic
{
    private static readonly string[] Tags = ["users", "orders"];
    private static readonly string[] Collections = ["Users", "Orders", "Wrong", "Late"];
    private readonly SimulatedRandom _random;
    private readonly TimeProvider _clock;
    private readonly WeightedSteps _kinds;
    private readonly EventTraffic _events;
    private DatabaseState _known = DatabaseState.Empty;
    private Func<CleanTombstonesOperation> _cleaning = null!;
    private SnapshotTrafficDriver _snapshots = null!;
    private DocumentExpirer _expirer = null!;
    private long _durableNumber;
    private SimulatedOperation? _drawn;
    private int _submitted;

    public Traffic(SimulatedRandom random, TimeProvider clock)
    {
        _random = random;
        _clock = clock;
        _events = new EventTraffic(random);
        var weights = WeightedSteps.Draw(random, 16, 4, 3, 8, 2, 2, 2, 1, 2, 1, 1, 10, 2, 12, 1, 2, 2);
        _kinds = new WeightedSteps(
            weights,
            ("put", () => _drawn = Batch([Put(SmallBody())])),
            ("delete", () => _drawn = Batch([Delete(isPrefix: false)])),
            ("move", () => _drawn = Batch(Move())),
            (
                "batch",
                () =>
                    _drawn = Batch([
                        .. Enumerable
                            .Range(0, _random.Next(2, 7))
                            .Select(_ => (SimulatedCommand)(_random.OneIn(3) ? Delete(isPrefix: false) : Put(SmallBody()))),
                    ])
            ),
            ("large put", () => _drawn = Batch([Put(Body(_random.Next(_random.OneIn(4) ? 300_000 : 40_000)))])),
            ("delete by prefix", () => _drawn = Batch([Delete(isPrefix: true)])),
            ("identity", () => _drawn = Identity()),
            ("seed", () => _drawn = Seeding()),
            ("range", () => _drawn = HiLo()),
            ("give back", () => _drawn = HiLoReturn()),
            ("clean", () => _drawn = Cleaning()),
            ("append", () => _drawn = Append()),
            ("delete events", () => _drawn = EventDeletion()),
            ("upload", () => _drawn = _snapshots.DrawUpload(_submitted, FaultPoint())),
            ("delete snapshots", () => _drawn = _snapshots.DrawDeletion(_submitted, FaultPoint())),
            ("clean leftovers", () => _drawn = _snapshots.DrawCleaning(_durableNumber, _submitted, FaultPoint())),
            ("configure", () => _drawn = Configuration())
        );
    }

    /// <summary>An id that is used often.</summary>
    public static string DrawId(SimulatedRandom random)
    {
        var number = random.Next(40);
        // The same document in another casing now and then.
        return $"{(number % 3 == 0 ? "Users" : "orders")}/{number}".ToUpperIf(random.OneIn(5));
    }

    /// <param name="known">A state that some caller may know of.</param>
    /// <param name="cleaning">What may be cleaned at this moment.</param>
    /// <param name="snapshots">Who stores snapshots in this opening of the database.</param>
    /// <param name="durableNumber">Of snapshots: the last one that is durable.</param>
    /// <param name="expirer">Is told what is configured.</param>
    public SimulatedOperation Draw(
        DatabaseState known,
        Func<CleanTombstonesOperation> cleaning,
        SnapshotTrafficDriver snapshots,
        long durableNumber,
        DocumentExpirer expirer
    )
    {
        _expirer = expirer;
        _snapshots = snapshots;
        _durableNumber = durableNumber;
        _known = known;
        _cleaning = cleaning;
        _submitted++;
        _kinds.Draw(_random).Step();
        return _drawn!;
    }

    /// <summary>A small put of a caller who knows of that state: it concerns nothing that others keep beside the database.</summary>
    public SimulatedOperation DrawPut(DatabaseState known)
    {
        _known = known;
        _submitted++;
        return Batch([Put(SmallBody())]);
    }

    private int? FaultPoint() => _random.OneIn(12) ? _random.Next(8) : null;

    private SimulatedBatch Batch(List<SimulatedCommand> commands) => SimulatedBatch.Make(commands, _submitted, FaultPoint());

    private SimulatedPut Put(string body)
    {
        var id = _random.Next(12) switch
        {
            0 => "users/",
            1 => "users|",
            2 => null,
            3 => "full|",
            _ => DrawId(_random),
        };
        // A document's collection follows from its id, but for a few that are refused for it, or come back elsewhere.
        var collection =
            _random.OneIn(25) ? Collections[_random.Next(Collections.Length)]
            : id == null ? null
            : id.StartsWith("users", StringComparison.OrdinalIgnoreCase) ? "Users"
            : "Orders";
        return new SimulatedPut
        {
            Id = id,
            Expected = Expected(id),
            Collection = collection?.ToUpperIf(_random.OneIn(8)),
            Body = body,
            Metadata = Metadata(mayHaveDates: body.Length < 1000),
        };
    }

    private string Metadata(bool mayHaveDates)
    {
        var members = new List<string>();
        if (_random.OneIn(3))
            members.Add($"\"m\":{_random.Next(9)}");
        if (mayHaveDates && _random.OneIn(3))
            members.Add($"\"@expires\":\"{Date()}\"");
        if (mayHaveDates && _random.OneIn(5))
            members.Insert(_random.Next(members.Count + 1), $"\"@refresh\":\"{Date()}\"");
        return string.Join(',', members);
    }

    /// <summary>A moment ago, in a moment, or when all this is over.</summary>
    private string Date()
    {
        var ahead = TimeSpan.FromTicks(_random.Next(10) == 0 ? TimeSpan.TicksPerDay * 365 : _random.Next(15_000_000) - 5_000_000L);
        return (_clock.GetUtcNow() + ahead).UtcDateTime.ToString("O", CultureInfo.InvariantCulture);
    }

    private SimulatedConfiguration Configuration()
    {
        var kind = _random.Coin() ? DocumentDateKind.Expires : DocumentDateKind.Refresh;
        var settings = new DueDocumentsSettings
        {
            Disabled = _random.OneIn(6),
            FrequencyInSec = _random.OneIn(4) ? null : 1 + _random.Next(2),
            MaxItemsToProcess = _random.Coin() ? null : 1 + _random.Next(5),
        };
        return new SimulatedConfiguration(new ConfigureDueDocumentsOperation(kind, settings), kind, settings, _expirer)
        {
            Number = _submitted,
            RefusesItselfAt = FaultPoint(),
        };
    }

    /// <summary>A document's collection never changes: whoever moves it deletes it and makes it anew.</summary>
    private List<SimulatedCommand> Move()
    {
        var id = DrawId(_random);
        return
        [
            new SimulatedDelete
            {
                Id = id,
                IsPrefix = false,
                Expected = null,
            },
            new SimulatedPut
            {
                Id = id,
                Expected = null,
                Collection = Collections[_random.Next(Collections.Length)],
                Body = SmallBody(),
                Metadata = "",
            },
        ];
    }

    private SimulatedDelete Delete(bool isPrefix)
    {
        var id = DrawId(_random);
        return isPrefix
            ? new SimulatedDelete
            {
                Id = id[..^1],
                IsPrefix = true,
                Expected = null,
            }
            : new SimulatedDelete
            {
                Id = id,
                IsPrefix = false,
                Expected = Expected(id),
            };
    }

    /// <summary>Mostly nothing; else what the caller knows, which may be out of date.</summary>
    private string? Expected(string? id)
    {
        var found = id == null ? null : _known.Documents.GetValueOrDefault(id.ToLowerInvariant());
        return _random.Next(10) switch
        {
            < 6 => null,
            6 => "",
            7 => MergerHistory.ChangeVectorOf(1 + _random.Next(1000)),
            _ => found == null ? "" : MergerHistory.ChangeVectorOf(found.Etag),
        };
    }

    private string SmallBody() => Body(_random.OneIn(20) ? _random.Next(6000) : _random.Next(500));

    private string Body(int bytes) =>
        _random.OneIn(10) ? "{}" : $"{{\"n\":{_submitted},\"t\":\"{new string((char)('a' + _random.Next(26)), bytes)}\"}}";

    private SimulatedIdentity Identity()
    {
        var name = _random.OneIn(4) ? "full|" : "users|";
        return new SimulatedIdentity(new NextIdentityOperation(name), name) { Number = _submitted, RefusesItselfAt = FaultPoint() };
    }

    private SimulatedSeeding Seeding()
    {
        // One of them is at its end, and what asks for its next value is refused.
        var (name, value) = _random.Coin() ? ("full|", long.MaxValue) : ("users|", 1L + _random.Next(100));
        var force = _random.OneIn(3);
        return new SimulatedSeeding(new SeedIdentityOperation(name, value, force), name, value, force)
        {
            Number = _submitted,
            RefusesItselfAt = FaultPoint(),
        };
    }

    private SimulatedHiLo HiLo()
    {
        var tag = Tags[_random.Next(Tags.Length)];
        return new SimulatedHiLo(new NextHiLoOperation(tag, _random.Next(100), null, 0, '/', Limits.Default), tag)
        {
            Number = _submitted,
            RefusesItselfAt = FaultPoint(),
        };
    }

    private SimulatedHiLoReturn HiLoReturn()
    {
        var tag = Tags[_random.Next(Tags.Length)];
        var end = SimulatedHiLo.MaxIn(_known, tag);
        var last = Math.Max(0, end - _random.Next(32));
        return new SimulatedHiLoReturn(new ReturnHiLoOperation(tag, end, last), tag, end, last)
        {
            Number = _submitted,
            RefusesItselfAt = FaultPoint(),
        };
    }

    private SimulatedAppend Append()
    {
        var groups = _events.DrawAppend(_known.Events);
        return new SimulatedAppend(SimulatedAppend.ToOperation(groups), groups) { Number = _submitted, RefusesItselfAt = FaultPoint() };
    }

    private SimulatedEventDeletion EventDeletion()
    {
        var stream = _events.DrawStream();
        var upTo = _events.DrawDeletion(_known.Events, stream);
        return new SimulatedEventDeletion(new DeleteEventsOperation(Encoding.UTF8.GetBytes(stream), upTo), stream, upTo)
        {
            Number = _submitted,
            RefusesItselfAt = FaultPoint(),
        };
    }

    private SimulatedCleaning Cleaning() => new(_cleaning()) { Number = _submitted, RefusesItselfAt = FaultPoint() };
}
