using System.Diagnostics.Metrics;

namespace Jackdaw.Etl;

/// <summary>
/// What a database's tasks count, as instruments of the meter <see cref="MeterName"/>. All are observed: nothing is counted
/// twice, and nothing is done while nobody looks.
/// Their tags are the database and the task. Listed in docs/etl.md, "Metrics".
/// </summary>
internal sealed class EtlMetrics : IDisposable
{
    /// <summary>Name of the meter of every database.</summary>
    public const string MeterName = "Jackdaw.Etl";

    /// <summary>One look at the instruments takes one look at the tasks.</summary>
    private static readonly TimeSpan s_fresh = TimeSpan.FromMilliseconds(500);

    private readonly Meter _meter = new(MeterName);
    private readonly Lock _lock = new();
    private readonly string _database;
    private readonly Func<IReadOnlyList<EtlTaskStatus>> _look;
    private readonly TimeProvider _clock;
    private IReadOnlyList<EtlTaskStatus>? _seen;
    private long _seenAt;

    internal EtlMetrics(string database, Func<IReadOnlyList<EtlTaskStatus>> look, TimeProvider clock)
    {
        _database = database;
        _look = look;
        _clock = clock;
        Count("messages", "{message}", "Messages that the sink has confirmed.", task => task.Messages);
        Count("data", "By", "Data of the messages that the sink has confirmed.", task => task.Bytes);
        Count("batches", "{batch}", "Batches settled.", task => task.Batches);
        Count("retries", "{attempt}", "Deliveries that failed and were tried again.", task => task.Retries);
        Count("dead_letters", "{message}", "Dead letters written.", task => task.DeadLetters);
        Measure(
            "lag.documents",
            "{document}",
            "Documents (and deletions that are sent) that wait, of the transform that "
                + "is furthest behind; an estimate when there are too many to be counted.",
            task => task.Transforms.Select(transform => (double)transform.DocumentsBehind).DefaultIfEmpty().Max()
        );
        Measure(
            "lag.etags",
            "{etag}",
            "Etags from the first change that waits to the last one of the transform's collections, of the transform that is "
                + "furthest behind: an upper bound of the changes that wait.",
            task => task.Transforms.Select(transform => (double)transform.EtagsBehind).DefaultIfEmpty().Max()
        );
        Measure(
            "lag",
            "s",
            "Age of the oldest change that waits.",
            task => task.Transforms.Select(transform => transform.SecondsBehind).DefaultIfEmpty().Max()
        );
        Measure(
            "up",
            "",
            "1 while the task does its work or rests, 0 while it waits for its sink, is paused, stopped or disabled.",
            task => task.State is EtlTaskState.Running or EtlTaskState.Idle ? 1 : 0
        );
    }

    public void Dispose() => _meter.Dispose();

    private void Count(string name, string unit, string description, Func<EtlTaskStatus, long> value) =>
        _meter.CreateObservableCounter($"jackdaw.etl.{name}", () => Observe(value), unit, description);

    private void Measure(string name, string unit, string description, Func<EtlTaskStatus, double> value) =>
        _meter.CreateObservableGauge($"jackdaw.etl.{name}", () => Observe(value), unit, description);

    private IEnumerable<Measurement<T>> Observe<T>(Func<EtlTaskStatus, T> value)
        where T : struct => Tasks().Select(task => new Measurement<T>(value(task), new("database", _database), new("task", task.Name)));

    private IReadOnlyList<EtlTaskStatus> Tasks()
    {
        lock (_lock)
        {
            if (_seen is { } seen && _clock.GetElapsedTime(_seenAt) < s_fresh)
                return seen;
            _seen = _look();
            _seenAt = _clock.GetTimestamp();
            return _seen;
        }
    }
}
