using System.Text.Json;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>The server under one query, sent again and again with other numbers.</summary>
/// <param name="name">The row's title.</param>
/// <param name="orders">How many there are.</param>
/// <param name="connections">Open at once.</param>
/// <param name="query">RQL with <c>#N#</c> and <c>#M#</c>, see <see cref="QueryLoad"/>.</param>
/// <param name="numbers">One more than the highest number in it.</param>
/// <param name="step">Between the two numbers.</param>
/// <param name="least">Matches that an answer must tell, so that nothing quick and wrong is measured.</param>
/// <param name="answer">Takes the bytes of one answer.</param>
internal sealed class ServerQueries(
    string name,
    long orders,
    int connections,
    string query,
    long numbers,
    long step,
    long least,
    Action<byte[]>? answer = null
) : OrdersServer(name, orders)
{
    private readonly string _body = JsonSerializer.Serialize(new { Query = query });

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await LoadOrdersAsync(context, cancel);
        await IndexAsync(context, Filled(0), cancel);
        string first = JsonSerializer.Serialize(new { Query = Filled(numbers / 2) });
        byte[] bytes = await Server.QueryBytesAsync(first, cancel);
        JsonElement root = JsonDocument.Parse(bytes).RootElement;
        if (root.GetProperty("IsStale").GetBoolean() || root.GetProperty("TotalResults").GetInt64() < least)
            throw new IOException($"{root.GetProperty("TotalResults")} matches where at least {least} were expected, or a stale answer");
        answer?.Invoke(bytes);
        await MeasureAsync(context, context.Settings.Duration(5, 1), cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        var cpu = new CpuMeter(Server.ProcessId);
        long before = await Server.AllocatedBytesAsync(cancel);
        HttpLoadResult result = await MeasureAsync(context, context.Settings.Duration(10, 1), cancel);
        long after = await Server.AllocatedBytesAsync(cancel);
        return result
            .ToSample()
            .With(Metric.Cpu, cpu.MicrosecondsPer(result.Requests))
            .With(Metric.Allocated, (after - before) / 1024.0 / Math.Max(1, result.Requests));
    }

    private string Filled(long number) =>
        query
            .Replace("#N#", number.ToString(System.Globalization.CultureInfo.InvariantCulture), StringComparison.Ordinal)
            .Replace("#M#", (number + step).ToString(System.Globalization.CultureInfo.InvariantCulture), StringComparison.Ordinal);

    private Task<HttpLoadResult> MeasureAsync(RunContext context, TimeSpan duration, CancellationToken cancel) =>
        new QueryLoad(Server.Url + ServerUnderTest.QueryPath, _body, numbers, step).RunAsync(
            connections,
            duration,
            context.Round,
            context.Directory,
            cancel
        );
}
