using System.Globalization;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.Load;

/// <summary>
/// Posts one query again and again with wrk. In its body, <c>#N#</c> stands for a random number below <paramref
/// name="Numbers"/>, and <c>#M#</c> for that number
/// plus <paramref name="Step"/>.
/// </summary>
/// <param name="Url">Scheme, host, port and path.</param>
/// <param name="Body">The body of the request.</param>
/// <param name="Numbers">One more than the highest number.</param>
/// <param name="Step">See above.</param>
internal sealed record QueryLoad(string Url, string Body, long Numbers, long Step = 0)
{
    private const string Script = """
        local threads = 0
        function setup(thread)
          thread:set("thread_number", threads)
          threads = threads + 1
        end
        function init(args)
          file, numbers, step = args[1], tonumber(args[2]), tonumber(args[3])
          math.randomseed(tonumber(args[4]) * 64 + thread_number)
          local handle = io.open(file); body = handle:read("*a"); handle:close()
          varies = body:find("#N#", 1, true) ~= nil
          wrk.method = "POST"
          wrk.headers["Content-Type"] = "application/json"
          fixed = wrk.format(nil, nil, nil, body)
        end
        function request()
          if not varies then return fixed end
          local n = math.random(0, numbers - 1)
          local text = body:gsub("#N#", string.format("%d", n)):gsub("#M#", string.format("%d", n + step))
          return wrk.format(nil, nil, nil, text)
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
        string script = Path.Combine(directory, "query.lua");
        string body = Path.Combine(directory, "query.json");
        await File.WriteAllTextAsync(script, Script, cancel);
        await File.WriteAllTextAsync(body, Body, cancel);
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
                body,
                Numbers.ToString(CultureInfo.InvariantCulture),
                Step.ToString(CultureInfo.InvariantCulture),
                run.ToString(CultureInfo.InvariantCulture),
            ],
            cancel
        );
        return WrkLoad.Parse(output);
    }
}
