using System.Globalization;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.Load;

/// <summary>Sends GETs of one path that ends in a random number, with wrk.</summary>
/// <param name="Url">Scheme, host and port.</param>
/// <param name="PathPrefix">Path and query up to the number.</param>
/// <param name="Numbers">One more than the highest number.</param>
internal sealed record GetLoad(string Url, string PathPrefix, long Numbers)
{
    private const string Script = """
        local threads = 0
        function setup(thread)
          thread:set("thread_number", threads)
          threads = threads + 1
        end
        function init(args)
          prefix, numbers = args[1], tonumber(args[2])
          math.randomseed(tonumber(args[3]) * 64 + thread_number)
          tail = " HTTP/1.1\r\nHost: " .. wrk.host .. "\r\n\r\n"
        end
        function request()
          return "GET " .. prefix .. math.random(0, numbers - 1) .. tail
        end
        function done(summary, latency, requests)
          local errors = summary.errors
          print(string.format("RESULT %d %d %d %d %f %f %f %f", summary.requests, summary.duration,
            errors.status, errors.connect + errors.read + errors.write + errors.timeout,
            latency:percentile(50), latency:percentile(99), latency:percentile(99.9), latency.max))
        end
        """;

    /// <exception cref="ContenderUnavailableException">wrk is not installed.</exception>
    /// <exception cref="IOException">wrk failed, or an answer was an error.</exception>
    public async Task<HttpLoadResult> RunAsync(int connections, TimeSpan duration, int run, string directory, CancellationToken cancel)
    {
        string wrk = Programs.Find("wrk") ?? throw new ContenderUnavailableException("wrk is not installed (apt-get install wrk)");
        string script = Path.Combine(directory, "get.lua");
        await File.WriteAllTextAsync(script, Script, cancel);
        string output = await Programs.RunAsync(
            wrk,
            [
                $"-t{Math.Min(2, connections)}",
                $"-c{connections}",
                $"-d{Math.Max(1, (int)Math.Round(duration.TotalSeconds))}s",
                "--timeout",
                "30s",
                "-s",
                script,
                Url,
                "--",
                PathPrefix,
                Numbers.ToString(CultureInfo.InvariantCulture),
                run.ToString(CultureInfo.InvariantCulture),
            ],
            cancel
        );
        return WrkLoad.Parse(output);
    }
}
