using Jackdaw.Simulation.Histories;
using Jackdaw.Simulation.Medium;
using Jackdaw.Simulation.Workloads;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Simulation.Lazy;

/// <summary>
/// One seed's history of a lazily durable environment: commits that are seen at once, journal writes that cover many of them, waits for
/// durability, roll backs where the disk refuses, and crashes, after which a prefix must be there. docs/simulation.md.
/// </summary>
public sealed class LazyHistory : SeededHistory
{
    private readonly PlantedLazyFault _planted;

    internal LazyHistory(ulong seed, PlantedLazyFault planted = PlantedLazyFault.None, TextWriter? trace = null)
        : base(seed, trace, settings => settings with { Damages = false, Faults = settings.Faults with { MisdirectedWrite = 0 } })
    {
        _planted = planted;
        // Half of the time little else goes wrong than what an environment is rolled back for.
        Faults = Random.Coin()
            ? Settings.Faults
            : new DiskFaults { JournalWriteError = Random.Next(8, 60), NoSpace = Random.Coin() ? 40 : 0 };
        Workloads =
        [
            new RawPageWorkload(Settings.WidePages),
            new TreeWorkload(),
            new FixedTreeWorkload(),
            new TableWorkload(),
            new PostingWorkload(),
        ];
        for (var gone = Random.Next(Workloads.Count); gone > 0; gone--)
            Workloads.RemoveAt(Random.Next(Workloads.Count));
        Ledger = new LazyLedger([.. Workloads.Select(w => w.Empty)]);
        StepWeights = WeightedSteps.Draw(Random, 30, 40, 3, 5, 1, 16, 8, 6, 25, 12, 12, 2, 10, 8, 10, 10, 2);
        Interval = TimeSpan.FromMilliseconds(Random.Next(1, 200));
        ThresholdBytes = 8192L << Random.Next(7);
        RecordBytes = 12 << (10 + Random.Next(4));
    }

    internal DiskFaults Faults { get; }

    internal LazyLedger Ledger { get; }

    internal List<IWorkload> Workloads { get; }

    internal int[] StepWeights { get; }

    private TimeSpan Interval { get; }

    private long ThresholdBytes { get; }

    private int RecordBytes { get; }

    /// <summary>Whether the disk may fail at something else than a journal write or room.</summary>
    internal bool MayBePoisoned => (Faults with { JournalWriteError = 0 }).CanFail;

    internal override EnvironmentOptions NextOptions() =>
        base.NextOptions() with
        {
            Durability = Durability.Lazy,
            LazyJournalInterval = Interval,
            LazyJournalThresholdBytes = ThresholdBytes,
            LazyRecordBytes = RecordBytes,
            PlantedLazy = _planted,
        };

    internal bool MayFailNow(DiskException error) =>
        error is DiskFullException ? Disk.IsFull || Faults.NoSpace > 0 : error.Errno == Storage.Disk.LinuxCalls.EIO && Faults.CanFail;

    private protected override bool RunSession()
    {
        Disk.IsFull = false;
        var environment = Open();
        var session = new LazySession(this, environment);
        Disk.Faults = Faults;
        try
        {
            if (Random.Next(10) < 6 && Disk.Session > 0 || Random.OneIn(4))
                Disk.CutPowerIn(1 + Random.Next(1 << Random.Next(4, 10)));
            session.Run(Settings.StepsPerSession / 4 + Random.Next(Settings.StepsPerSession));
            Disk.Faults = DiskFaults.None;
            if (environment.Poison == null && Random.OneIn(4))
            {
                session.CloseCleanly();
                Counts.CleanEnds++;
                Restart(powerCut: Random.Coin());
                return true;
            }
            var powerCut = Random.Coin();
            session.Dispose();
            Counts.Kills++;
            Restart(powerCut);
        }
        catch (PowerCutException)
        {
            Counts.PowerCuts++;
            session.Dispose();
            Restart(powerCut: true);
        }
        return true;
    }

    /// <summary>Opens and verifies, however often the power fails meanwhile.</summary>
    private StorageEnvironment Open()
    {
        for (var attempt = 0; ; attempt++)
        {
            var patient = attempt >= PatientAttempts;
            if (!patient && Random.OneIn(3))
                Disk.CutPowerIn(Random.Next(1, 80));
            if (!patient && Random.OneIn(3))
                Disk.Faults = Faults;
            StorageEnvironment? environment = null;
            try
            {
                environment = StorageEnvironment.Open(Disk, NextOptions());
                Disk.Faults = DiskFaults.None;
                Disk.CancelPowerCut();
                Counts.Replayed += environment.Recovered.ReplayedTransactions;
                Counts.LostTails += Math.Max(0, Ledger.Last - environment.DurableTransactionId);
                Recover(environment);
                return environment;
            }
            catch (PowerCutException)
            {
                Counts.CutsWhileOpening++;
                Abandon(environment);
                Restart(powerCut: true);
            }
            catch (DiskException error) when (MayFailNow(error) && !patient)
            {
                Abandon(environment);
                Restart(powerCut: Random.Coin());
            }
            catch (EnvironmentPoisonedException error) when (error.InnerException is DiskException cause && MayFailNow(cause) && !patient)
            {
                Abandon(environment);
                Restart(powerCut: Random.Coin());
            }
        }
    }

    /// <summary>A prefix of the commits is there, whole; of what was rolled back only what the environment said might return.</summary>
    private void Recover(StorageEnvironment environment)
    {
        var transaction = environment.DurableTransactionId;
        OracleException.Require(environment.VisibleTransactionId == transaction, "after opening more is seen than is durable");
        var candidates = Ledger.Candidates(transaction);
        for (var i = 0; ; i++)
        {
            try
            {
                using var reader = environment.BeginRead("verification");
                for (var w = 0; w < Workloads.Count; w++)
                    Workloads[w].Verify(reader, candidates[i][w], 1, Random);
                StructureCheck.Run(reader, Workloads, candidates[i]);
                Ledger.Recover(transaction, candidates[i]);
                return;
            }
            catch (OracleException) when (i + 1 < candidates.Count)
            {
                // Several states had this number; one of them must be there.
            }
        }
    }
}
