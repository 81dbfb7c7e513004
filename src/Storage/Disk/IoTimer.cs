using System.Diagnostics;

namespace Jackdaw.Storage.Disk;

/// <summary>Times one operation; it counts as failed unless <see cref="Succeeded"/> was called before it is disposed of.</summary>
internal ref struct IoTimer(IoStatistics statistics, IoKind kind)
{
    private readonly long _started = Stopwatch.GetTimestamp();
    private long _bytes = -1;

    public void Succeeded(long bytes = 0) => _bytes = bytes;

    public readonly void Dispose() => statistics.Add(kind, _bytes, Stopwatch.GetTimestamp() - _started, failed: _bytes < 0);
}
