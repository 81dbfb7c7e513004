using Jackdaw.Indexing.Processes;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Reads of an index, for tests that have nothing else to do meanwhile.</summary>
internal static class WaitingReads
{
    public static IndexReading OpenRead(this Index index, string purpose) =>
        index.OpenReadAsync(purpose, CancellationToken.None).AsTask().GetAwaiter().GetResult();

    public static IndexStatistics Statistics(this Index index) =>
        index.StatisticsAsync(CancellationToken.None).AsTask().GetAwaiter().GetResult();

    public static bool IsStale(this Index index) => index.IsStaleAsync(CancellationToken.None).AsTask().GetAwaiter().GetResult();
}
