using Jackdaw.Simulation.Medium;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Simulation.Histories;

/// <summary>What one seed makes happen on one simulated disk, in several sessions between which the machine or the process ends.</summary>
public abstract class SeededHistory : IDisposable
{
    /// <summary>Attempts to open after which nothing comes in the way any more.</summary>
    private protected const int PatientAttempts = 4;

    private readonly ulong _seed;

    private protected SeededHistory(ulong seed, TextWriter? trace, Func<HistorySettings, HistorySettings> adapt)
    {
        _seed = seed;
        Random = new SimulatedRandom(seed);
        Trace.Output = trace;
        Settings = adapt(HistorySettings.Draw(Random, Clock));
        Disk = new SimulatedDisk(Random.Fork(), Settings.AtomicUnit, Clock, Trace);
    }

    public HistorySettings Settings { get; }

    public OperationTrace Trace { get; } = new();

    internal SimulatedRandom Random { get; }

    internal SimulatedClock Clock { get; } = new();

    internal SimulatedDisk Disk { get; }

    internal HistoryCounts Counts { get; } = new();

    /// <summary>Runs the whole history. Throws <see cref="OracleException"/>, whose message begins with the seed.</summary>
    public HistoryResult Run()
    {
        // In a context of the caller's, what follows on a task would run on other threads, sooner or later than the seed says.
        var context = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(null);
        try
        {
            return RunSessions();
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    public void Dispose()
    {
        Disk.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Whether an error of the disk was the disk's doing: what the engine reports must have happened.</summary>
    internal bool MayFail(DiskException error) =>
        error is DiskFullException ? Disk.IsFull || Settings.Faults.NoSpace > 0 : error.Errno == LinuxCalls.EIO && Settings.Faults.CanFail;

    /// <summary>The same settings, with a stream of chance of its own.</summary>
    internal virtual EnvironmentOptions NextOptions() => Settings.Options with { Random = Random.Fork() };

    /// <summary>Opens, works, and ends in one way or another. False when the history ends here.</summary>
    private protected abstract bool RunSession();

    /// <summary>Gives back the memory of an environment that never came to serve.</summary>
    private protected void Abandon(StorageEnvironment? environment)
    {
        Disk.Detach();
        environment?.Dispose();
    }

    private protected virtual void Restart(bool powerCut)
    {
        Disk.Faults = DiskFaults.None;
        Disk.Restart(powerCut);
    }

    private HistoryResult RunSessions()
    {
        try
        {
            for (var session = 0; session < Settings.Sessions; session++)
            {
                if (!RunSession())
                    break;
            }
        }
        catch (Exception error)
        {
            throw new OracleException($"Seed {_seed}: {error.Message}\n{Settings}\nThe last that happened:\n{Trace.Last(60)}", error);
        }
        Counts.Operations = Disk.Operations;
        Counts.Punches = Disk.Punches;
        return new HistoryResult(_seed, Trace.Hash, Counts);
    }
}
