using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.Load;

/// <summary>Sends a load with wrk where it is installed, otherwise with the slower generator of our own; all contenders of a run
/// get the same one.</summary>
internal static class HttpLoadGenerator
{
    private static readonly string? Wrk = Programs.Find("wrk");

    public static string Description =>
        Wrk is not null ? "load by wrk" : "load by the built-in generator (wrk is not installed: apt-get install wrk)";

    public static Task<HttpLoadResult> RunAsync(HttpLoad load, string directory, CancellationToken cancel) =>
        Wrk is not null ? new WrkLoad(Wrk, directory).RunAsync(load, cancel) : SocketLoad.RunAsync(load, cancel);
}
