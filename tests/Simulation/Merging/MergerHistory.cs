using Jackdaw.Documents;
using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Simulation.Histories;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Simulation.Merging;

/// <summary>
/// One seed's history of a database: callers submit operations to its transaction merger, whose steps, the journal's, flush's and
/// sync's, and the answers, run in an
/// order that chance dictates, until the power, the process or the disk fails. docs/simulation.md.
/// </summary>
public class MergerHistory : SeededHistory
{
    /// <summary>A transaction of so many pages still takes a small operation by itself.</summary>
    private const int FewestPages = 30;

    internal static readonly Guid DatabaseId = new("00112233-4455-6677-8899-aabbccddeeff");
    internal static readonly ChangeVectorHistory ChangeVectors = new("A", DatabaseId, []);
    private static readonly string DatabaseIdText = Convert.ToBase64String(DatabaseId.ToByteArray())[..22];

    internal MergerHistory(ulong seed, PlantedMergerFault planted = PlantedMergerFault.None, TextWriter? trace = null)
        : base(seed, trace, settings => settings with { Damages = false, Faults = settings.Faults with { MisdirectedWrite = 0 } })
    {
        HasSmallTransactions = !Random.OneIn(3);
        TransactionBytes = HasSmallTransactions ? Random.Next(FewestPages, 2 * FewestPages) * PageLayout.PageSize : 16 << 20;
        ScratchBytes = Random.OneIn(3) ? Random.Next(10, 80) * PageLayout.PageSize : 64 << 20;
        MergerOptions = new MergerOptions
        {
            DatabaseName = "simulated",
            AsynchronousCommit = !Random.OneIn(6),
            Clock = Clock,
            Planted = planted,
            Limits = new Limits
            {
                MaxMergerQueueBytes = Random.OneIn(3) ? 8000 + Random.Next(30_000) : 64 << 20,
                MaxMergedTransactionBytes = Random.Coin() ? 600 + Random.Next(8000) : 4 << 20,
            },
        };
        Traffic = new Traffic(Random, Clock);
        Consumers = SomeConsumers(Random);
        StepWeights = WeightedSteps.Draw(Random, 40, 40, 30, 30, 15, 10, 8, 2, 6, 8, 8, 12, 20, 10, 1, 3, 4, 10, 1);
        DamagesPages = Random.OneIn(3);
    }

    /// <summary>Pages are damaged while the database is open: one at a time.</summary>
    internal bool DamagesPages { get; }

    /// <summary>The damage of this session; null while there is none.</summary>
    internal PageDamage? Damage { get; set; }

    /// <summary>An operation by itself can be too much for a transaction.</summary>
    internal bool HasSmallTransactions { get; }

    internal MergerLedger Ledger { get; } = new();

    internal MergerOptions MergerOptions { get; }

    internal Traffic Traffic { get; }

    internal IReadOnlyList<SimulatedConsumer> Consumers { get; private protected init; }

    internal int[] StepWeights { get; }

    private long TransactionBytes { get; }

    private long ScratchBytes { get; }

    /// <summary>That of this database for an etag.</summary>
    internal static string ChangeVectorOf(long etag) => $"A:{etag}-{DatabaseIdText}";

    internal override EnvironmentOptions NextOptions() =>
        base.NextOptions() with
        {
            MaxTransactionBytes = TransactionBytes,
            MaxScratchBytes = ScratchBytes,
            // Once it exists, nothing may begin it anew.
            MayCreate = Ledger.Promised < MergerLedger.DatabaseMade,
        };

    /// <summary>Of one collection, of two, of one that nothing is in at first, and in some histories of all.</summary>
    private static List<SimulatedConsumer> SomeConsumers(SimulatedRandom random)
    {
        List<SimulatedConsumer> consumers = [new("users", ["users"]), new("orders and wrong", ["orders", "wrong"]), new("late", ["late"])];
        if (random.Coin())
            consumers.Add(new("all", null));
        if (random.Coin())
            consumers.Add(new("events", ["@events"]));
        if (random.OneIn(4))
            consumers.Add(new("users and events", ["users", "@events"]));
        return consumers;
    }

    private protected override bool RunSession()
    {
        var session = OpenSession();
        var environment = session.Environment;
        BeginSession(session);
        Disk.Faults = Settings.Faults;
        try
        {
            if (Random.Next(10) < 6 && Disk.Session > 0 || Random.OneIn(4))
                Disk.CutPowerIn(1 + Random.Next(1 << Random.Next(4, 10)));
            session.Run(Settings.StepsPerSession / 4 + Random.Next(Settings.StepsPerSession));
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

    /// <summary>Opens the database, however often the power fails meanwhile. No fault is on then.</summary>
    private protected MergerSession OpenSession()
    {
        Disk.IsFull = false;
        return new MergerSession(this, Open(), DatabaseId);
    }

    /// <summary>A session was opened, and the disk does nothing wrong yet.</summary>
    private protected virtual void BeginSession(MergerSession session) { }

    /// <summary>How often each step of the companion is drawn.</summary>
    internal virtual IReadOnlyList<int> CompanionWeights => [];

    /// <summary>Callers run turns of the merger, and submit while others' operations execute. Histories that are about what follows the
    /// documents leave that out.</summary>
    internal virtual bool CallersRunTurns => true;

    /// <summary>Who works beside the callers in a session; null: nobody.</summary>
    internal virtual ISessionCompanion? Accompany(AccompaniedSession session) => null;

    private void End(MergerSession session, StorageEnvironment environment)
    {
        if (Random.Coin())
            Disk.Faults = DiskFaults.None;
        if (Random.Coin())
            Damage?.Heal(Disk);
        // After a failure mostly the process alone is gone: what its page cache says is then met by recovery.
        var powerCut = environment.Poison == null ? Random.Coin() : Random.OneIn(4);
        if (Random.Coin() && session.CloseInOrder())
            Counts.CleanEnds++;
        else
            Counts.Kills++;
        session.Dispose();
        Restart(powerCut);
    }

    private protected override void Restart(bool powerCut)
    {
        Damage?.Heal(Disk);
        Damage = null;
        base.Restart(powerCut);
    }

    /// <summary>Opens as a host does, and verifies, however often the power fails meanwhile.</summary>
    private StorageEnvironment Open()
    {
        for (var attempt = 0; ; attempt++)
        {
            var patient = attempt >= PatientAttempts;
            if (!patient && Random.OneIn(3))
                Disk.CutPowerIn(Random.Next(1, 80));
            if (!patient && Random.OneIn(3))
                Disk.Faults = Settings.Faults;
            StorageEnvironment? environment = null;
            try
            {
                environment = StorageEnvironment.Open(Disk, NextOptions());
                Counts.Replayed += environment.Recovered.ReplayedTransactions;
                Counts.LostTails += Ledger.Last - environment.DurableTransactionId;
                Ledger.Recover(environment.DurableTransactionId);
                Ledger.MakeDatabase();
                DatabaseFormat.Ensure(environment, DatabaseId);
                Disk.Faults = DiskFaults.None;
                // What chance had in store for the opening is over; reading must not be disturbed by it.
                Disk.CancelPowerCut();
                OracleException.Require(
                    environment.DurableTransactionId == Ledger.Last,
                    $"opened at transaction {environment.DurableTransactionId} instead of {Ledger.Last}"
                );
                Ledger.Promise(Ledger.Last);
                StateCheck.RunWhole(environment, Ledger.StateOf(Ledger.Last));
                return environment;
            }
            catch (PowerCutException)
            {
                Counts.CutsWhileOpening++;
                Abandon(environment);
                Restart(powerCut: true);
            }
            catch (StorageException error) when (!patient && IsTheDisks(error))
            {
                Abandon(environment);
                Restart(powerCut: Random.Coin());
            }
        }
    }

    /// <summary>What is wrong is what the disk was told to do wrong.</summary>
    internal bool IsTheDisks(Exception? error) =>
        error switch
        {
            DiskException disk => MayFail(disk),
            CorruptedDataException damage => Damage is { } known && known.IsMetBy(damage),
            EnvironmentPoisonedException or CommitOutcomeUnknownException => IsTheDisks(error.InnerException),
            _ => false,
        };
}
