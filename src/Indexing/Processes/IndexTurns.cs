using System.Globalization;
using Jackdaw.Indexing.Definitions;

namespace Jackdaw.Indexing.Processes;

/// <summary>
/// The threads that run the turns of all indexes of a server, <c>index ‹n›</c>: as many as are needed, up to a bound. One that has had
/// nothing to do for a few seconds ends. Those of high priority come first; every tenth turn goes to one of low priority, and
/// every other fifth one
/// to one of normal priority, where one waits.
/// </summary>
internal sealed class IndexTurns : IDisposable
{
    private const int LowEvery = 10;
    private const int NormalEvery = 5;

    private static readonly TimeSpan s_lingering = TimeSpan.FromSeconds(5);

    private readonly Queue<IndexTurn>[] _waiting = [new(), new(), new()];
    private readonly List<Thread> _threads = [];
    private readonly int _most;
    private int _sleeping;
    private int _numbers;
    private long _begun;
    private bool _isEnding;

    /// <param name="most">Threads at most.</param>
    /// <param name="clock">Makes the timers of pauses.</param>
    public IndexTurns(int most, TimeProvider clock)
    {
        _most = most;
        Clock = clock;
    }

    public TimeProvider Clock { get; }

    internal object Monitor { get; } = new();

    /// <summary>Threads that there are now.</summary>
    public int Threads
    {
        get
        {
            lock (Monitor)
                return _threads.Count;
        }
    }

    /// <summary>Turns that have begun.</summary>
    public long Begun
    {
        get
        {
            lock (Monitor)
                return _begun;
        }
    }

    /// <summary>Ends the threads. No index is left.</summary>
    public void Dispose()
    {
        Thread[] threads;
        lock (Monitor)
        {
            _isEnding = true;
            System.Threading.Monitor.PulseAll(Monitor);
            threads = [.. _threads];
        }
        foreach (var thread in threads)
            thread.Join();
    }

    /// <summary>The index waits for its turn. Under the monitor.</summary>
    internal void Enqueue(IndexTurn turn)
    {
        _waiting[(int)turn.Priority].Enqueue(turn);
        if (_sleeping > 0)
            System.Threading.Monitor.Pulse(Monitor);
        else if (_threads.Count < _most && !_isEnding)
            StartOne();
    }

    private void StartOne()
    {
        var thread = new Thread(RunThread)
        {
            Name = string.Create(CultureInfo.InvariantCulture, $"index {++_numbers}"),
            IsBackground = true,
        };
        try
        {
            thread.Start();
        }
        catch (Exception refused) when (refused is OutOfMemoryException or ThreadStartException)
        {
            // The threads that there are take it in their turn; without one, the next wake tries again.
            return;
        }
        _threads.Add(thread);
    }

    private void RunThread()
    {
        while (Take() is { } turn)
        {
            var rest = turn.Run();
            lock (Monitor)
                turn.EndTurn(rest);
        }
    }

    /// <summary>The next to have a turn; null: this thread is to end.</summary>
    private IndexTurn? Take()
    {
        lock (Monitor)
        {
            while (true)
            {
                while (Next() is { } turn)
                {
                    if (turn.TryBegin())
                        return turn;
                }
                _sleeping++;
                bool wasWoken = !_isEnding && System.Threading.Monitor.Wait(Monitor, s_lingering);
                _sleeping--;
                if (_isEnding || (!wasWoken && _waiting.All(queue => queue.Count == 0)))
                {
                    _threads.Remove(Thread.CurrentThread);
                    return null;
                }
            }
        }
    }

    private IndexTurn? Next()
    {
        long number = ++_begun;
        var (low, normal) = (_waiting[(int)IndexPriority.Low], _waiting[(int)IndexPriority.Normal]);
        if (number % LowEvery == 0 && low.TryDequeue(out var turn))
            return turn;
        if (number % NormalEvery == 0 && normal.TryDequeue(out turn))
            return turn;
        for (int priority = _waiting.Length - 1; priority >= 0; priority--)
        {
            if (_waiting[priority].TryDequeue(out turn))
                return turn;
        }
        _begun--;
        return null;
    }
}
