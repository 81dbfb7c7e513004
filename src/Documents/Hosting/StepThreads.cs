namespace Jackdaw.Documents.Hosting;

/// <summary>
/// The threads that run the steps of every environment of a server. Three sets, so that work of one kind never waits behind work of
/// another: a merger that waits for scratch needs the journal and the flush to go on.
/// </summary>
internal sealed class StepThreads : IDisposable
{
    /// <summary>Merger threads at most. A slow script holds one for as long as it is allowed to; the others go on.</summary>
    public const int MostMergers = 8;

    /// <summary>Journal threads at most. Each is blocked for as long as its write takes, so that they are not counted by cores.</summary>
    public const int MostJournals = 8;

    /// <summary>Threads for flush, sync and spare steps at most: the device has little to gain from more of them.</summary>
    public const int MostFlushers = 4;

    /// <summary>Callers that run a merger's turn themselves at most: one for every two processors, since the pool begins with a thread
    /// for each of these, and most of them must stay free.</summary>
    private static readonly int s_mostCallers = Math.Clamp(Environment.ProcessorCount / 2, 1, 2);

    /// <summary>Spinning for the next operation pays where another core can run its caller meanwhile.</summary>
    private static readonly TimeSpan s_mergerSpin = Environment.ProcessorCount > 1 ? TimeSpan.FromMicroseconds(60) : TimeSpan.Zero;

    /// <param name="start">A test's chance to fail where the system can refuse a thread; null: they are just started.</param>
    /// <param name="most">Threads of each set at most, where a test wants fewer; null: as many as the constants say.</param>
    /// <param name="mostCallers">Turns on the threads of callers at most; null: as many as suit the processors.</param>
    public StepThreads(Action<Thread>? start = null, int? most = null, int? mostCallers = null)
    {
        Callers = new CallersTurns(mostCallers ?? s_mostCallers);
        start ??= static thread => thread.Start();
        Clock = new StepClock(start);
        Mergers = new StepThreadSet("merger", most ?? MostMergers, s_mergerSpin, Clock, start);
        Journals = new StepThreadSet("journal", most ?? MostJournals, TimeSpan.Zero, Clock, start);
        Flushers = new StepThreadSet("flush", most ?? MostFlushers, TimeSpan.Zero, Clock, start);
    }

    public StepClock Clock { get; }

    public StepThreadSet Mergers { get; }

    public StepThreadSet Journals { get; }

    public StepThreadSet Flushers { get; }

    /// <summary>Turns of mergers on the threads of callers.</summary>
    public CallersTurns Callers { get; }

    /// <summary>Threads that there are now.</summary>
    public int Count => Mergers.Count + Journals.Count + Flushers.Count + 1;

    /// <summary>Ends the threads, when every environment that they ran is closed.</summary>
    public void Dispose()
    {
        Clock.Dispose();
        Mergers.Dispose();
        Journals.Dispose();
        Flushers.Dispose();
    }
}
