using Jackdaw.Bench.Frame;
using Jackdaw.Documents.Json;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>Texts of dates, parsed again and again.</summary>
/// <param name="name">The row's title.</param>
/// <param name="withZone">They end with <c>Z</c>.</param>
/// <param name="dates">How many are parsed in a run.</param>
internal class ParsedDates(string name, bool withZone, int dates) : Contender(name)
{
    public const string Plain = "jackdaw, without a zone";
    public const string WithZone = "jackdaw, with Z";

    /// <summary>Processor time of one date.</summary>
    public static readonly Metric EachTook = new("cpu", "ns", 1);

    private const int Texts = 1000;

    /// <summary>Some years apart, so that no branch is always the same.</summary>
    private static readonly TimeSpan s_step = TimeSpan.FromDays(23.456789);

    private readonly long[] _ticks = [.. Enumerable.Range(0, Texts).Select(i => new DateTime(1970, 1, 1).Ticks + s_step.Ticks * i)];

    public override Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        // The runtime compiles a hot loop in steps.
        for (int i = 0; i < 5; i++)
            Measure(dates / 10);
        return Task.CompletedTask;
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        double nanoseconds = Measure(dates).TotalNanoseconds / dates;
        return Task.FromResult(new Sample().With(EachTook, nanoseconds));
    }

    protected virtual bool TryParse(ReadOnlySpan<byte> text, out long utcTicks) => ProtocolDate.TryParse(text, out utcTicks);

    private TimeSpan Measure(int count)
    {
        byte[][] texts = [.. _ticks.Select(ticks => System.Text.Encoding.ASCII.GetBytes(ProtocolDate.ToText(ticks, withZone)))];
        TimeSpan before = Environment.CpuUsage.TotalTime;
        long sum = 0;
        for (int i = 0; i < count; i++)
        {
            if (!TryParse(texts[i % Texts], out long ticks))
                throw new IOException("a date was not read");
            sum += ticks - _ticks[i % Texts];
        }
        TimeSpan took = Environment.CpuUsage.TotalTime - before;
        return sum == 0 ? took : throw new IOException("a date was read as another one");
    }
}
