using Jackdaw.Storage;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Documents.Hosting;

/// <summary>
/// Owns an open environment, whatever it holds, and has its journal, flush, sync, spare and eviction steps run on the server's
/// shared threads. An environment that has nothing to do costs neither a thread nor a timer. An unexpected exception in a step
/// poisons this environment with its cause, and concerns no other.
/// </summary>
internal sealed class EnvironmentHost : IStepHost
{
    /// <summary>Pieces of a spare journal file that one turn makes at most.</summary>
    private const int SpareStepsAtOnce = 64;

    private static readonly TimeSpan s_moment = TimeSpan.FromMilliseconds(250);

    private readonly IDisk _disk;
    private readonly StepThreads _threads;
    private StepLane? _journal;
    private StepLane? _background;
    private Action? _chore;
    private Func<TimeSpan>? _nextChore;
    private Action? _faulted;
    private Action? _journaled;
    private Thread? _committing;
    private volatile bool _isEnding;
    private int _isFlushWanted;

    /// <summary>The background lane has nothing to do, and sees no work unless it is woken.</summary>
    private bool _backgroundRests;

    private EnvironmentHost(IDisk disk, StepThreads threads)
    {
        _disk = disk;
        _threads = threads;
    }

    public StorageEnvironment Storage { get; private init; } = null!;

    /// <summary>The thread that commits at this moment and decides itself what becomes of the write (<see cref="WakeJournal"/>):
    /// its commits wake nobody. Null: there is none.</summary>
    public Thread? Committing
    {
        set => Volatile.Write(ref _committing, value);
    }

    /// <summary>Opens the environment, recovering it. Until <see cref="Start"/> its owner runs the steps. The disk is the host's
    /// from now on, also when this throws.</summary>
    public static EnvironmentHost Open(IDisk disk, EnvironmentOptions options, StepThreads threads)
    {
        var relay = new StepHostRelay();
        try
        {
            threads.Clock.EnsureStarted();
            threads.Journals.EnsureStarted();
            threads.Flushers.EnsureStarted();
            var host = new EnvironmentHost(disk, threads) { Storage = StorageEnvironment.Open(disk, options with { Host = relay }) };
            relay.Host = host;
            return host;
        }
        catch
        {
            disk.Dispose();
            throw;
        }
    }

    /// <summary>From now on the shared threads run the steps.</summary>
    /// <param name="chore">Further work of the owner, done in each turn of the background lane; null: nothing.</param>
    /// <param name="nextChore">How long the chore has nothing to do: a time, or <see cref="Timeout.InfiniteTimeSpan"/> until
    /// something is written or <see cref="NoteWork"/> is called.</param>
    /// <param name="faulted">Told when something unexpected has poisoned the environment.</param>
    /// <param name="journaled">Told after each step of the journal that did something, on its thread; must be quick and must not
    /// throw.</param>
    public void Start(Action? chore = null, Func<TimeSpan>? nextChore = null, Action? faulted = null, Action? journaled = null)
    {
        _journaled = journaled;
        _chore = chore;
        _nextChore = nextChore;
        _faulted = faulted;
        _journal = new StepLane(_threads.Journals, RunJournal, Failed);
        _background = new StepLane(_threads.Flushers, RunBackground, Failed);
        // What was done before nobody was told of: a spare journal file is missing at least.
        _journal.Wake();
        _background.Wake();
    }

    /// <summary>The journal has work.</summary>
    public void WakeJournal() => _journal?.Wake();

    /// <summary>The background lane has work.</summary>
    public void WakeBackground() => _background?.Wake();

    /// <summary>As <see cref="WakeBackground"/>, and nothing where the lane looks for itself in a moment.</summary>
    public void NoteWork()
    {
        if (Volatile.Read(ref _backgroundRests))
            _background?.Wake();
    }

    /// <summary>A flush pass begins at once, although none is due.</summary>
    public void FlushSoon()
    {
        Volatile.Write(ref _isFlushWanted, 1);
        WakeBackground();
    }

    /// <summary>Ends the lanes. Nothing is committed any more.</summary>
    public async Task EndAsync()
    {
        _isEnding = true;
        WakeJournal();
        WakeBackground();
        await (_journal?.Ended ?? Task.CompletedTask).ConfigureAwait(false);
        await (_background?.Ended ?? Task.CompletedTask).ConfigureAwait(false);
    }

    /// <summary>After <see cref="EndAsync"/>, and when readers have ended: flushes, syncs and closes. Blocks.</summary>
    public void CloseCleanly()
    {
        try
        {
            Storage.CloseCleanly();
        }
        finally
        {
            _disk.Dispose();
        }
    }

    /// <summary>As <see cref="CloseCleanly"/>, leaving what is not synced to recovery.</summary>
    public void Abandon()
    {
        try
        {
            Storage.Dispose();
        }
        finally
        {
            _disk.Dispose();
        }
    }

    void IStepHost.JournalHasWork()
    {
        if (Thread.CurrentThread != Volatile.Read(ref _committing))
            WakeJournal();
    }

    void IStepHost.FlushHasWork() => WakeBackground();

    private StepRest RunJournal()
    {
        if (Storage.RunJournalStep())
        {
            _journaled?.Invoke();
            // A lazily durable write brings many pages at once. A writer that waits for scratch waits for the flush of these.
            if (Storage.Options.Durability == Durability.Lazy && Storage.HasMuchToFlush)
                WakeBackground();
            else
                NoteWork();
            return StepRest.Again;
        }
        if (_isEnding)
            return StepRest.Ended;
        // Elsewhere each commit wakes the lane, or is written by the thread that commits.
        return Storage.Options.Durability == Durability.Lazy ? StepRest.AtMost(Storage.NextJournalStep()) : StepRest.Idle;
    }

    /// <summary>A spare is finished before anything else: without one the merger would have to make it. Recycling takes turns
    /// with flushing.</summary>
    private bool MakeSpare()
    {
        int steps = 0;
        while (steps < SpareStepsAtOnce && Storage.RunSpareStep())
            steps++;
        return steps > 0;
    }

    private StepRest RunBackground()
    {
        if (_isEnding)
            return StepRest.Ended;
        Volatile.Write(ref _backgroundRests, false);
        bool didSomething = MakeSpare();
        bool isWanted = Interlocked.Exchange(ref _isFlushWanted, 0) != 0;
        var pause = TimeSpan.Zero;
        if (Storage.RunFlushStep(isWanted))
        {
            didSomething = true;
            pause = Storage.FlushPause;
        }
        didSomething |= Storage.RunSyncStep();
        Storage.RunEvictionStep();
        _chore?.Invoke();
        if (pause > TimeSpan.Zero)
            return StepRest.Pause(pause);
        return didSomething ? StepRest.Again : Rest();
    }

    private StepRest Rest()
    {
        Volatile.Write(ref _backgroundRests, true);
        // Whoever makes work from now on wakes the lane; what was made before is seen below.
        Interlocked.MemoryBarrier();
        var rest = Storage.NextBackgroundStep();
        var choreRest = _nextChore?.Invoke() ?? Timeout.InfiniteTimeSpan;
        if (rest == Timeout.InfiniteTimeSpan || (choreRest != Timeout.InfiniteTimeSpan && choreRest < rest))
            rest = choreRest;
        // A lane that looks for itself in a moment need not be woken by each write.
        if (rest != Timeout.InfiniteTimeSpan && rest <= s_moment)
            Volatile.Write(ref _backgroundRests, false);
        return StepRest.AtMost(rest);
    }

    /// <summary>Something unexpected in a step: the environment takes no more writes, says why, and can still be read and closed.</summary>
    private StepRest Failed(Exception fault)
    {
        Storage.PoisonBy(fault);
        // What waits for the journal is answered by its next turn.
        WakeJournal();
        _faulted?.Invoke();
        return _isEnding ? StepRest.Ended : StepRest.Idle;
    }

    /// <summary>The environment's host while it is being opened and the real one does not exist yet.</summary>
    private sealed class StepHostRelay : IStepHost
    {
        public IStepHost? Host { get; set; }

        public void JournalHasWork() => Host?.JournalHasWork();

        public void FlushHasWork() => Host?.FlushHasWork();
    }
}
