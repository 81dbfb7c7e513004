using System.Collections.Concurrent;

namespace Jackdaw.Server.Hosting;

/// <summary>What indexes find, for the log: kept until there is one, as databases are opened before. Thread-safe.</summary>
internal sealed class IndexFindings
{
    private readonly ConcurrentQueue<string> _waiting = new();
    private volatile Action<string>? _log;

    /// <summary>An index has found something.</summary>
    public void Add(string finding)
    {
        _waiting.Enqueue(finding);
        Flush();
    }

    /// <summary>From now on findings are logged, those so far first.</summary>
    public void LogTo(Action<string> log)
    {
        _log = log;
        Flush();
    }

    private void Flush()
    {
        if (_log is not { } log)
            return;
        while (_waiting.TryDequeue(out var finding))
            log(finding);
    }
}
