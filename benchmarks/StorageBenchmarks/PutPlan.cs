using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.StorageBenchmarks;

/// <summary>What writers in this process are to do.</summary>
/// <param name="Writers">At once.</param>
/// <param name="Order">Random: puts replace loaded documents. Ascending: new ones, into a newly loaded store each run.</param>
/// <param name="Documents">Loaded before.</param>
/// <param name="Duration">Of a run.</param>
internal sealed record PutPlan(int Writers, IdOrder Order, long Documents, TimeSpan Duration)
{
    public StoreOptions Options { get; init; } = new();

    /// <summary>Whether to wait after a run until all of it is flushed, up to a second; the other contenders' runs may otherwise
    /// meet the end of it.</summary>
    public bool Settles { get; init; } = true;

    /// <summary>Is told the average length of a journal write after each run, for a peer that is to write the same.</summary>
    public Action<int>? TellWriteSize { get; init; }
}
