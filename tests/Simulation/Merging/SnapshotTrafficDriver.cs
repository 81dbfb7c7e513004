using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Snapshots;
using Jackdaw.Simulation.Medium;

namespace Jackdaw.Simulation.Merging;

/// <summary>Who stores, deletes and downloads snapshots in one opening of the database: few streams and numbers, so that they get in
/// each other's way.</summary>
internal sealed class SnapshotTrafficDriver
{
    private const int MostUploads = 4;
    private const int MostDownloads = 3;

    private static readonly string[] s_streams = ["a", "A", "a\u0001", "ä🐦", "long-" + new string('x', 500)];

    private readonly SimulatedRandom _random;
    private readonly List<SimulatedUpload> _uploads = [];
    private readonly List<SimulatedDownload> _downloads = [];
    private readonly bool _cutsDownloads;
    private int _seed;

    public SnapshotTrafficDriver(SimulatedRandom random)
    {
        _random = random;
        _cutsDownloads = random.OneIn(3);
    }

    public static IReadOnlyList<string> Streams => s_streams;

    public SnapshotTraffic Traffic { get; } =
        new() { PieceBytes = SnapshotsState.PieceBytes, CleaningBytes = SnapshotsState.CleaningBytes };

    /// <summary>The next operation of an upload, a new one or one that waits to go on.</summary>
    public SimulatedOperation DrawUpload(int number, int? refusesItselfAt)
    {
        _uploads.RemoveAll(upload => upload.HasEnded);
        var waiting = _uploads.Find(upload => !upload.IsBusy);
        // The client goes away in the middle now and then.
        if (waiting is not null && _random.OneIn(8))
        {
            waiting.End(isComplete: false);
            waiting = null;
        }
        if (waiting is null || (_uploads.Count < MostUploads && _random.OneIn(3)))
        {
            waiting = new SimulatedUpload(Traffic.BeginUpload(), DrawStream(), DrawNumber(), ++_seed, _random);
            _uploads.Add(waiting);
        }
        waiting.IsBusy = true;
        return waiting.TakesChunk() ? Chunk(waiting, number, refusesItselfAt) : Snapshot(waiting, number, refusesItselfAt);
    }

    public SimulatedSnapshotDeletion DrawDeletion(int number, int? refusesItselfAt)
    {
        var stream = DrawStream();
        var criteria = DrawCriteria();
        return new SimulatedSnapshotDeletion(
            new DeleteSnapshotsOperation(Traffic, Encoding.UTF8.GetBytes(stream), criteria),
            stream,
            criteria
        )
        {
            Number = number,
            RefusesItselfAt = refusesItselfAt,
        };
    }

    /// <param name="durableNumber">The last one that is durable.</param>
    /// <param name="number">Of the operation.</param>
    /// <param name="refusesItselfAt">See <see cref="SimulatedOperation.RefusesItselfAt"/>.</param>
    public SimulatedLeftoverCleaning DrawCleaning(long durableNumber, int number, int? refusesItselfAt)
    {
        var operation = new RemoveLeftoversOperation(Traffic)
        {
            UpToNumber = durableNumber,
            AgedBeforeTicks = _cutsDownloads && _random.Coin() ? long.MaxValue : 0,
        };
        return new SimulatedLeftoverCleaning(operation, Traffic) { Number = number, RefusesItselfAt = refusesItselfAt };
    }

    /// <summary>A download begins, or reads on.</summary>
    /// <param name="durableNumber">The last one that is durable.</param>
    /// <param name="read">Opens a reader, and tells what it must see.</param>
    public void Download(long durableNumber, Action<Action<DocumentsReader, DatabaseState>> read)
    {
        if (_downloads.Count == 0 || (_downloads.Count < MostDownloads && _random.OneIn(3)))
        {
            _downloads.Add(new SimulatedDownload(Traffic.Hold(durableNumber), DrawStream(), DrawCriteria()));
            // Others go on between its hold and its first read.
            if (_random.OneIn(3))
                return;
        }
        var download = _downloads[_random.Next(_downloads.Count)];
        var goesOn = false;
        try
        {
            read((reader, state) => goesOn = download.Read(reader, state, mayBeCut: _cutsDownloads));
        }
        finally
        {
            if (!goesOn || _random.OneIn(12))
            {
                download.End();
                _downloads.Remove(download);
            }
        }
    }

    private SimulatedChunk Chunk(SimulatedUpload upload, int number, int? refusesItselfAt)
    {
        var bytes = 1 + (_random.OneIn(8) ? _random.Next(20_000) : _random.Next(2500));
        return new SimulatedChunk(new StoreChunkOperation(upload.Pending, upload.Bytes(bytes)), upload, bytes)
        {
            Number = number,
            RefusesItselfAt = refusesItselfAt,
        };
    }

    private SimulatedSnapshot Snapshot(SimulatedUpload upload, int number, int? refusesItselfAt)
    {
        var rest = _random.OneIn(4) ? 0 : _random.Next(2500);
        var snapshot = new NewSnapshot(
            Encoding.UTF8.GetBytes(upload.Stream),
            upload.Number,
            upload.Ticks,
            upload.Seed % 5,
            $"m{upload.Seed}"
        );
        return new SimulatedSnapshot(new StoreSnapshotOperation(snapshot, upload.Pending, upload.Bytes(rest)), upload, rest)
        {
            Number = number,
            RefusesItselfAt = refusesItselfAt,
        };
    }

    private string DrawStream() => s_streams[_random.Next(s_streams.Length)];

    private long DrawNumber() =>
        _random.Next(10) switch
        {
            0 => long.MaxValue,
            1 => 0,
            _ => _random.Next(6),
        };

    private SnapshotCriteria DrawCriteria() =>
        _random.Next(4) switch
        {
            0 => SnapshotCriteria.All,
            1 => new SnapshotCriteria(_random.Next(6), _random.Coin() ? long.MaxValue : _random.Next(6), 0, long.MaxValue),
            2 => new SnapshotCriteria(0, long.MaxValue, _random.Next(40), _random.Coin() ? long.MaxValue : _random.Next(40)),
            _ => DrawNumber() is var number ? new SnapshotCriteria(number, number, 0, long.MaxValue) : default,
        };
}
