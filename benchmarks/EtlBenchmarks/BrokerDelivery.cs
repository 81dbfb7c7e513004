using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>Documents a second through a small script to a broker, against the broker's own client in a loop.</summary>
/// <param name="documents">Of a run.</param>
/// <param name="quickDocuments">Likewise, in the quick mode.</param>
internal abstract class BrokerDelivery<TBroker>(long documents, long quickDocuments) : Benchmark
    where TBroker : ISharedBroker, new()
{
    public sealed override string Group => Catalogue.Etl;

    public sealed override IReadOnlyList<Target> Targets =>
        [Target.RatioAtLeast(ServerContender.Jackdaw, LeastRatio, Metric.Rate, RawRow) with { NeedsFullRun = true }];

    /// <summary>Of the raw client's rate.</summary>
    protected abstract double LeastRatio { get; }

    /// <summary>The raw client's row.</summary>
    protected abstract string RawRow { get; }

    /// <summary>What is on its way at once, in words.</summary>
    protected abstract string Window { get; }

    /// <summary>Times that a document's bytes are on the disk: in the database, and in the broker's own files, of which it
    /// removes some late.</summary>
    protected abstract int Copies { get; }

    public sealed override string Sizes(RunSettings settings) => $"{Documents(settings):N0} documents, {Window}";

    public sealed override long DiskBytesNeeded(RunSettings settings) => Copies * Documents(settings) * DocumentBodies.Size + (1L << 30);

    public sealed override IReadOnlyList<Contender> CreateContenders(RunSettings settings)
    {
        var broker = new TBroker();
        return [new ServerToBroker(broker, Documents(settings)), CreateRaw(broker, Documents(settings))];
    }

    protected abstract Contender CreateRaw(TBroker broker, long documents);

    private long Documents(RunSettings settings) => settings.Pick(documents, quickDocuments);
}
