namespace Jackdaw.Bench.Frame;

/// <summary>One measured quantity: its column title, its unit (empty for a bare number) and the decimals it is shown with.</summary>
internal sealed record Metric(string Name, string Unit, int Decimals = 0)
{
    /// <summary>Operations acknowledged a second.</summary>
    public static readonly Metric Rate = new("rate", "/s");

    /// <summary>Median latency of one operation.</summary>
    public static readonly Metric P50 = new("p50", "ms", 3);

    /// <summary>99th percentile of the latency of one operation.</summary>
    public static readonly Metric P99 = new("p99", "ms", 3);

    /// <summary>99.9th percentile of the latency of one operation.</summary>
    public static readonly Metric P999 = new("p99.9", "ms", 3);

    /// <summary>The longest operation.</summary>
    public static readonly Metric Max = new("max", "ms", 3);

    /// <summary>Bytes that one write to the journal (or to the raw file) took, on average.</summary>
    public static readonly Metric WriteSize = new("write size", "B");

    /// <summary>Operations that shared one durable write, on average.</summary>
    public static readonly Metric PerWrite = new("per write", "", 1);

    /// <summary>Syncs of the data file that ended within the measured time.</summary>
    public static readonly Metric Syncs = new("syncs", "");

    /// <summary>Data pages flushed within the measured time, as a share of those written.</summary>
    public static readonly Metric Flushed = new("flushed", "%", 1);

    /// <summary>Documents that were there at the time.</summary>
    public static readonly Metric Documents = new("documents", "");

    /// <summary>Elapsed time of the whole run.</summary>
    public static readonly Metric Seconds = new("time", "s", 2);

    /// <summary>Megabytes (10^6 bytes) handled a second.</summary>
    public static readonly Metric Throughput = new("throughput", "MB/s");

    /// <summary>Anonymous resident memory of the process (smaps_rollup), in 10^6 bytes.</summary>
    public static readonly Metric AnonymousMemory = new("anonymous RSS", "MB");

    /// <summary>Highest resident memory of the process so far (VmHWM), in 10^6 bytes.</summary>
    public static readonly Metric PeakMemory = new("peak RSS", "MB");

    /// <summary>Bytes on the managed heap, in 10^6 bytes.</summary>
    public static readonly Metric ManagedHeap = new("managed heap", "MB");

    /// <summary>Processor time that an operation takes: the server's processes, or this process where the engine runs in it (the
    /// writers included).</summary>
    public static readonly Metric Cpu = new("cpu", "µs/op", 1);

    /// <summary>Bytes that a request allocates on the server's managed heap, in 2^10 bytes.</summary>
    public static readonly Metric Allocated = new("allocated", "KB", 1);

    /// <summary>Operations a second of processor time, all threads together.</summary>
    public static readonly Metric PerCore = new("a core", "/s");

    /// <summary>Changes that a task had still before it.</summary>
    public static readonly Metric Behind = new("behind", "");

    /// <summary>Writes the value with the metric's decimals and, if asked for, its unit.</summary>
    public string Format(double value, bool withUnit = false)
    {
        string number = value.ToString("N" + Decimals, System.Globalization.CultureInfo.InvariantCulture);
        if (!withUnit || Unit.Length == 0)
            return number;
        return Unit.StartsWith('/') || Unit == "%" ? number + Unit : number + " " + Unit;
    }
}
