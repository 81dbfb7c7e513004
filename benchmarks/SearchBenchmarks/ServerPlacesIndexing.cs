using System.Diagnostics;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>The index is emptied and built again in each run, over places that stay.</summary>
internal sealed class ServerPlacesIndexing() : ServerContender(Jackdaw)
{
    private const string Query = $"from {PlaceBodies.Collection} where name = 'x' and country = 'x' and lat = 1000 and lng = 1000 limit 0";

    private long _places;
    private string _index = "";

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        PlaceBodies places = await PlaceBodies.ReadAsync(cancel);
        _places = places.Count;
        await StartNewAsync(context, cancel);
        _index = (await Server.CreateSeparateIndexesAsync([Query], cancel))[0];
        await Server.BulkInsertAsync(places, 0, _places, cancel);
        await Server.RequireCountAsync(_places, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await Server.ResetIndexAsync(_index, cancel);
        var cpu = new CpuMeter(Server.ProcessId);
        var clock = Stopwatch.StartNew();
        await Server.EnableIndexAsync(_index, cancel);
        await Server.WaitForIndexAsync(_index, cancel);
        double seconds = clock.Elapsed.TotalSeconds;
        await Server.DisableIndexAsync(_index, cancel);
        return new Sample()
            .With(Metric.Rate, _places / seconds)
            .With(Metric.Documents, _places)
            .With(Metric.Seconds, seconds)
            .With(Metric.Cpu, cpu.MicrosecondsPer(_places));
    }
}
