using Jackdaw.Simulation.Medium;
using Jackdaw.Simulation.Workloads;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Simulation.Histories;

/// <summary>
/// One seed's history: an environment is opened, used and lost again several times, and after each loss held against what an
/// observer knows.
/// The seed alone decides everything. docs/simulation.md.
/// </summary>
public sealed class SimulatedHistory : SeededHistory
{
    private readonly PlantedFault _planted;
    private bool _closedCleanly;
    private long _openedAt;

    /// <summary>The environment had failed when its process ended, and the page cache outlived it.</summary>
    private bool _failed;

    internal SimulatedHistory(ulong seed, PlantedFault planted = PlantedFault.None, TextWriter? trace = null)
        : base(seed, trace, settings => settings)
    {
        _planted = planted;
        Workloads = Draw(
            Random,
            [
                new RawPageWorkload(Settings.WidePages),
                new TreeWorkload(),
                new FixedTreeWorkload(),
                new TableWorkload(),
                new PostingWorkload(),
                new EmbeddingWorkload(),
            ]
        );
        Ledger = new Ledger([.. Workloads.Select(w => w.Empty)]);
        StepWeights = WeightedSteps.Draw(Random, 30, 30, 4, 4, 1, 30, 30, 30, 12, 2, 6, 6, 10, 6, 1, 3);
    }

    internal Ledger Ledger { get; }

    internal IReadOnlyList<IWorkload> Workloads { get; }

    internal int[] StepWeights { get; }

    /// <summary>No transaction behind this one can have left anything in the data file.</summary>
    internal long FlushedUpTo { get; set; }

    /// <summary>The same settings, with a stream of chance of its own.</summary>
    internal override EnvironmentOptions NextOptions() => base.NextOptions() with { Planted = _planted };

    /// <summary>Everything that a reader can see, and the rules of every structure.</summary>
    internal void VerifyWhole(StorageEnvironment environment, object[] state)
    {
        using var reader = environment.BeginRead("verification");
        for (var i = 0; i < Workloads.Count; i++)
            Workloads[i].Verify(reader, state[i], 1, Random);
        StructureCheck.Run(reader, Workloads, state);
        if (Random.OneIn(4))
            VerifyCompacted(environment, state);
    }

    /// <summary>A compacted copy holds the same, but for pages that no structure owns.</summary>
    private void VerifyCompacted(StorageEnvironment environment, object[] state)
    {
        int[] copied = [.. Enumerable.Range(0, Workloads.Count).Where(i => Workloads[i] is not RawPageWorkload)];
        using var disk = new SimulatedDisk(Random.Fork(), Settings.AtomicUnit, Clock, Disk.Trace);
        using var target = StorageEnvironment.Open(disk, Settings.Options with { Name = "compacted", Random = Random.Fork() });
        environment.CompactInto(target);
        using var reader = target.BeginRead("verification");
        foreach (int i in copied)
            Workloads[i].Verify(reader, state[i], 1, Random);
        StructureCheck.Run(reader, [.. copied.Select(i => Workloads[i])], [.. copied.Select(i => state[i])]);
    }

    /// <summary>One sort of content at least; half of the time few, so that they get all the attention.</summary>
    private static List<IWorkload> Draw(SimulatedRandom random, List<IWorkload> all)
    {
        for (var gone = random.Next(all.Count); gone > 0; gone--)
            all.RemoveAt(random.Next(all.Count));
        return all;
    }

    private protected override bool RunSession()
    {
        Disk.IsFull = false;
        var damage = Settings.Damages ? MediumDamage.Inflict(Disk, Random, _closedCleanly) : null;
        if (damage is { Kind: DamageKind.Data })
        {
            VerifyFlippedData(damage);
            damage = null;
        }
        Counts.HeadersDestroyed += damage?.Kind == DamageKind.OneHeader ? 1 : 0;
        Counts.JournalFlips += damage?.Kind == DamageKind.Journal ? 1 : 0;
        var environment = Open(damage);
        if (environment == null)
            return false;
        // What recovery made of a page cache that lies, after a failed sync, shows only when the power goes out before anything
        // is written again.
        if (Random.OneIn(_failed ? 2 : 10))
        {
            _failed = false;
            Abandon(environment);
            Restart(powerCut: true);
            Counts.PowerCuts++;
            environment = Open(damage: null);
            if (environment == null)
                return false;
        }
        var session = new Session(this, environment);
        Disk.Faults = Settings.Faults;
        try
        {
            if (Random.Next(10) < 6 && Disk.Session > 0 || Random.OneIn(4))
                Disk.CutPowerIn(1 + Random.Next(1 << Random.Next(4, 10)));
            session.Run(Settings.StepsPerSession / 4 + Random.Next(Settings.StepsPerSession));
            Disk.Faults = DiskFaults.None;
            if (Settings.Damages && Random.Coin())
                session.Settle();
            End(session, environment);
        }
        catch (PowerCutException)
        {
            Counts.PowerCuts++;
            session.Dispose();
            Restart(powerCut: true);
        }
        return true;
    }

    private void End(Session session, StorageEnvironment environment)
    {
        if (environment.Poison == null && Random.OneIn(4))
        {
            session.CloseCleanly();
            Counts.CleanEnds++;
            Restart(powerCut: Random.Coin());
            _closedCleanly = true;
            return;
        }
        // After a failure mostly the process alone is gone: what its page cache says is then met by recovery.
        var powerCut = environment.Poison == null ? Random.Coin() : Random.OneIn(4);
        _failed = environment.Poison != null && !powerCut;
        session.Dispose();
        Counts.Kills++;
        Restart(powerCut);
    }

    private protected override void Restart(bool powerCut)
    {
        _closedCleanly = false;
        base.Restart(powerCut);
    }

    /// <summary>
    /// Opens and verifies, however often the power fails meanwhile. Null when damage was reported that cannot be taken back.
    /// </summary>
    private StorageEnvironment? Open(MediumDamage? damage)
    {
        var acceptsLoss = false;
        for (var attempt = 0; ; attempt++)
        {
            var patient = attempt >= PatientAttempts;
            if (!patient && Random.OneIn(3))
                Disk.CutPowerIn(Random.Next(1, 80));
            if (!patient && Random.OneIn(3))
                Disk.Faults = Settings.Faults with { MisdirectedWrite = 0 };
            StorageEnvironment? environment = null;
            try
            {
                environment = StorageEnvironment.Open(Disk, NextOptions() with { AcceptDataLoss = acceptsLoss });
                Disk.Faults = DiskFaults.None;
                // What chance had in store for the opening is over; reading must not be disturbed by it.
                Disk.CancelPowerCut();
                if (!acceptsLoss)
                    damage?.UndoWhereUnchanged(Disk);
                OracleException.Require(damage?.Kind != DamageKind.BothHeaders, "both headers are destroyed, and the environment opens");
                Counts.Replayed += environment.Recovered.ReplayedTransactions;
                Counts.LostTails += Ledger.Last - environment.DurableTransactionId;
                if (acceptsLoss && !AcceptLoss(environment))
                    return null;
                if (!acceptsLoss)
                    Ledger.Recover(environment.DurableTransactionId);
                FlushedUpTo = _openedAt = environment.DurableTransactionId;
                VerifyWhole(environment, Ledger.StateOf(environment.DurableTransactionId));
                return environment;
            }
            catch (PowerCutException)
            {
                Counts.CutsWhileOpening++;
                Abandon(environment);
                Restart(powerCut: true);
            }
            catch (DiskException error) when (MayFail(error) && !patient)
            {
                Abandon(environment);
                Restart(powerCut: Random.Coin());
            }
            catch (EnvironmentPoisonedException error) when (error.InnerException is DiskException cause && MayFail(cause) && !patient)
            {
                Abandon(environment);
                Restart(powerCut: Random.Coin());
            }
            catch (StorageException error) when (error is CorruptedDataException or UnsupportedFormatException)
            {
                Abandon(environment);
                if (!IsExplained(damage))
                    throw;
                Counts.Reported++;
                if (damage == null)
                    return null;
                Restart(powerCut: false);
                if (acceptsLoss)
                {
                    OracleException.Require(
                        FlushedUpTo > _openedAt,
                        "the journal's damage was accepted as lost, nothing had been flushed, and opening is refused all the same"
                    );
                    Counts.MixturesAccepted++;
                    return null;
                }
                if (damage.Kind == DamageKind.Journal && error is CorruptedDataException corrupted)
                {
                    damage.RequireNamedBy(corrupted);
                    acceptsLoss = !Random.OneIn(3);
                }
                if (acceptsLoss)
                    continue;
                damage.Undo(Disk);
                damage = null;
            }
        }
    }

    /// <summary>
    /// The environment stands at the last good record. False when something behind it had been flushed: what the pages hold then
    /// is told to be of no one moment, and is nobody's promise.
    /// </summary>
    private bool AcceptLoss(StorageEnvironment environment)
    {
        var transaction = environment.DurableTransactionId;
        Trace.AddStep("loss accepted", transaction);
        Counts.LossesAccepted++;
        Ledger.AcceptLoss(transaction);
        if (FlushedUpTo <= transaction)
            return true;
        Counts.MixturesAccepted++;
        Abandon(environment);
        return false;
    }

    /// <summary>Whether the fault table allows a refusal.</summary>
    private bool IsExplained(MediumDamage? damage) =>
        damage is { Kind: DamageKind.Journal or DamageKind.BothHeaders } || Disk.Misdirected > 0;

    /// <summary>After a clean end a flipped bit in the data file is reported where it is read, and what is read without report is
    /// right.</summary>
    private void VerifyFlippedData(MediumDamage damage)
    {
        Counts.DataFlips++;
        try
        {
            using var environment = StorageEnvironment.Open(Disk, NextOptions());
            OracleException.Require(environment.DurableTransactionId == Ledger.Last, "a clean end lost transactions");
            VerifyWhole(environment, Ledger.StateOf(Ledger.Last));
        }
        catch (CorruptedDataException)
        {
            Counts.Reported++;
        }
        Restart(powerCut: false);
        damage.Undo(Disk);
    }
}
