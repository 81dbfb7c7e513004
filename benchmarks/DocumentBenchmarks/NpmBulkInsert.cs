using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>A bulk insert by the official npm client: mostly that client's own rate.</summary>
internal sealed class NpmBulkInsert(long documents) : ServerContender(NpmPuts.RowName)
{
    public override Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        NpmClient.RequireInstalled();
        return StartNewAsync(context, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        long before = await Server.CountDocumentsAsync(cancel);
        Sample sample = await NpmClient.BulkInsertAsync(Server.Url, context.Directory, context.Round, documents, cancel);
        await Server.RequireCountAsync(before + documents, cancel);
        return sample;
    }
}
