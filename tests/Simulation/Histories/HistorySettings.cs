using Jackdaw.Simulation.Medium;
using Jackdaw.Storage;
using Jackdaw.Storage.Journal;

namespace Jackdaw.Simulation.Histories;

/// <summary>What a seed settles before its history begins.</summary>
public sealed record HistorySettings
{
    /// <summary>Times that the environment is opened.</summary>
    public required int Sessions { get; init; }

    /// <summary>Steps of a session at most.</summary>
    public required int StepsPerSession { get; init; }

    public required int AtomicUnit { get; init; }

    /// <summary>What the disk does wrong while sessions run.</summary>
    public required DiskFaults Faults { get; init; }

    /// <summary>Bytes change while the machine is off.</summary>
    public required bool Damages { get; init; }

    /// <summary>Runs of pages of more than a megabyte occur, and with them the punching of holes.</summary>
    public required bool WidePages { get; init; }

    public required EnvironmentOptions Options { get; init; }

    public static HistorySettings Draw(SimulatedRandom random, SimulatedClock clock)
    {
        var profile = random.Next(13);
        var damages = profile > 9;
        return new HistorySettings
        {
            Sessions = random.Next(3, 7),
            StepsPerSession = random.Next(60, damages ? 500 : 300),
            AtomicUnit = random.OneIn(3) ? 4096 : 512,
            Faults = profile switch
            {
                < 5 => new DiskFaults { ShortWrite = random.Coin() ? 20 : 0, NoSpace = random.OneIn(3) ? 40 : 0 },
                < 9 => DrawErrors(random),
                9 => new DiskFaults { MisdirectedWrite = 60 },
                _ => DiskFaults.None,
            },
            Damages = damages,
            WidePages = random.OneIn(4),
            Options = DrawOptions(random, clock, damages),
        };
    }

    private static DiskFaults DrawErrors(SimulatedRandom random) =>
        new()
        {
            ShortWrite = random.Coin() ? 20 : 0,
            JournalWriteError = random.Coin() ? 60 : 0,
            WriteError = random.OneIn(3) ? 80 : 0,
            ReadError = random.OneIn(4) ? 150 : 0,
            SyncError = random.OneIn(3) ? 0 : random.Next(2, 8),
            DirectorySyncError = random.OneIn(4) ? 20 : 0,
            MetadataError = random.OneIn(4) ? 60 : 0,
            NoSpace = random.OneIn(4) ? 40 : 0,
        };

    private static EnvironmentOptions DrawOptions(SimulatedRandom random, SimulatedClock clock, bool damages) =>
        new()
        {
            Name = "simulated",
            ClearsScratch = true,
            MaxDataFileBytes = 48 << 20,
            InitialDataFileBytes = (1 + random.Next(8)) * 32 << 10,
            MaxGrowthStepBytes = (1 + random.Next(4)) * 128 << 10,
            // Damage to a header is only felt where the other relies on older files: small ones are left behind soon.
            JournalFileBytes = 16 << (10 + (damages ? 0 : random.Next(3))),
            FirstJournalFileBytes = 16 << 10,
            MaxTransactionBytes = 16 << 20,
            FlushThresholdBytes = random.Next(3) * (64 << 10),
            FlushInterval = TimeSpan.FromMilliseconds(random.Next(20)),
            FlushStepBytes = 8192 << random.Next(4),
            SyncThresholdBytes = 32 << (10 + random.Next(3)),
            SyncInterval = TimeSpan.FromMilliseconds(random.Next(50)),
            RecoveryMemoryBytes = random.Coin() ? 16 * 8192 : 4 << 20,
            RecoveryWritesAside = false,
            Compression = (JournalCompression)random.Next(Enum.GetValues<JournalCompression>().Length),
            Time = clock,
            Random = random.Fork(),
        };
}
