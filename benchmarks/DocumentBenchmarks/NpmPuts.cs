using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>The server under the official npm client, one document a session: a single-threaded client, so mostly its own rate.</summary>
internal sealed class NpmPuts(int sessions, double fullSeconds, double quickSeconds) : ServerContender(RowName)
{
    public const string RowName = "jackdaw, npm client";

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        NpmClient.RequireInstalled();
        await StartNewAsync(context, cancel);
        await NpmClient.PutAsync(Server.Url, context.Directory, context.Round, sessions, context.Settings.Duration(5, 1), cancel);
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel) =>
        NpmClient.PutAsync(
            Server.Url,
            context.Directory,
            context.Round,
            sessions,
            context.Settings.Duration(fullSeconds, quickSeconds),
            cancel
        );
}
