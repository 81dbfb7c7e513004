using System.Runtime.InteropServices;
using Jackdaw.Scripting;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Hosting;

/// <summary>
/// Gives memory back after a burst: one timer for the whole process, which runs only while a pool keeps something. Each look
/// trims what was not
/// needed since the last one. When little is kept and little is allocated, the managed heap and the C library give their free pages
/// back, once after each burst. The timer stops when nothing is kept.
/// </summary>
internal sealed partial class MemoryTrimmer : IDisposable
{
    /// <summary>The time between two looks: what is kept goes after one to two of them.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    /// <summary>Less than this allocated between two looks is no load.</summary>
    private const long QuietBytes = 16L << 20;

    /// <summary>A managed heap with less free memory than this is not worth a collection.</summary>
    private const long WorthCollectingBytes = 16L << 20;

    /// <summary>Pools that keep less than this together are in light use: a burst is over all the same.</summary>
    private const long LittleKeptBytes = 4L << 20;

    private readonly Lock _gate = new();
    private readonly ScriptEngine _scripts;
    private readonly ITimer _timer;
    private long _allocated;
    private bool _hasGivenBack;
    private bool _isRunning;
    private bool _isDisposed;

    public MemoryTrimmer(ScriptEngine scripts, TimeProvider? clock = null)
    {
        _scripts = scripts;
        _timer = (clock ?? TimeProvider.System).CreateTimer(
            static self => ((MemoryTrimmer)self!).Look(),
            this,
            Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan
        );
        KeptMemory.Wakes = Start;
    }

    /// <summary>True while looks are due.</summary>
    public bool IsRunning
    {
        get
        {
            lock (_gate)
                return _isRunning;
        }
    }

    /// <summary>How often the heaps have given their free pages back.</summary>
    internal int TimesGivenBack { get; private set; }

    /// <summary>One look. Never two at a time.</summary>
    internal void Look()
    {
        lock (_gate)
        {
            if (_isDisposed)
                return;
        }
        var (_, kept) = KeptMemory.Trim();
        _scripts.TrimIdleMachines();
        var allocated = GC.GetTotalAllocatedBytes();
        var isQuiet = allocated - _allocated < QuietBytes;
        _allocated = allocated;
        _hasGivenBack &= isQuiet;
        if (isQuiet && !_hasGivenBack && kept < LittleKeptBytes && _scripts.IdleMachineCount == 0)
        {
            GiveBack();
            _hasGivenBack = true;
            TimesGivenBack++;
        }
        if (kept > 0 || _scripts.IdleMachineCount > 0 || !isQuiet)
        {
            Schedule();
            return;
        }
        lock (_gate)
            _isRunning = false;
        // A pool that keeps something from now on starts the timer anew.
        KeptMemory.Rest();
    }

    public void Dispose()
    {
        KeptMemory.Wakes = null;
        lock (_gate)
            _isDisposed = true;
        _timer.Dispose();
    }

    /// <summary>A full collection holds every thread up for some time, so it comes only where nothing happens and much is free.</summary>
    private static void GiveBack()
    {
        var heap = GC.GetGCMemoryInfo();
        if (heap.TotalCommittedBytes - GC.GetTotalMemory(forceFullCollection: false) > WorthCollectingBytes || HasGrown(heap))
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        try
        {
            _ = MallocTrim(0);
        }
        catch (EntryPointNotFoundException)
        {
            // Another C library than glibc: it gives back what it wants to.
        }
    }

    /// <summary>Much was allocated since the last collection: some of it is dead.</summary>
    private static bool HasGrown(GCMemoryInfo heap) =>
        GC.GetTotalMemory(forceFullCollection: false) - heap.HeapSizeBytes > WorthCollectingBytes;

    private void Start()
    {
        lock (_gate)
        {
            if (_isRunning)
                return;
            _isRunning = true;
        }
        Schedule();
    }

    private void Schedule()
    {
        lock (_gate)
        {
            if (!_isDisposed)
                _timer.Change(Interval, Timeout.InfiniteTimeSpan);
        }
    }

    [LibraryImport("libc", EntryPoint = "malloc_trim")]
    private static partial int MallocTrim(nuint pad);
}
