using System.Globalization;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.Load;

/// <summary>Drives wrk with a Lua script that builds each request; two threads.</summary>
internal sealed class WrkLoad(string wrk, string directory)
{
    private const int Threads = 2;
    private const int Bodies = 1024;

    // Every wrk thread has a Lua state of its own: "setup" numbers them, so that no two send the same id. "done" runs once at the end.
    private const string Script = """
        local threads = 0
        function setup(thread)
          thread:set("thread_number", threads)
          threads = threads + 1
        end

        function init(args)
          kind, prefix, documents = args[1], args[2], tonumber(args[4])
          math.randomseed(tonumber(args[5]) * 64 + thread_number)
          count = 0
          head = " HTTP/1.1\r\nHost: " .. wrk.host .. "\r\n"
          if kind == "PutDistinct" then
            bodies = {}
            for line in io.lines(args[3]) do
              bodies[#bodies + 1] = head .. "Content-Type: application/json\r\nContent-Length: " .. #line .. "\r\n\r\n" .. line
            end
          end
        end

        function request()
          if kind == "GetRandom" then
            return "GET " .. prefix .. math.random(0, documents - 1) .. head .. "\r\n"
          end
          count = count + 1
          return "PUT " .. prefix .. thread_number .. "-" .. count .. bodies[count % #bodies + 1]
        end

        function done(summary, latency, requests)
          local errors = summary.errors
          print(string.format("RESULT %d %d %d %d %f %f %f %f", summary.requests, summary.duration,
            errors.status, errors.connect + errors.read + errors.write + errors.timeout,
            latency:percentile(50), latency:percentile(99), latency:percentile(99.9), latency.max))
        end
        """;

    /// <exception cref="IOException">wrk failed, or an answer was an error.</exception>
    public async Task<HttpLoadResult> RunAsync(HttpLoad load, CancellationToken cancel)
    {
        string script = Path.Combine(directory, "load.lua");
        string bodies = Path.Combine(directory, "bodies.txt");
        await File.WriteAllTextAsync(script, Script, cancel);
        if (!File.Exists(bodies))
            await File.WriteAllLinesAsync(bodies, new DocumentBodies().Lines(Bodies), cancel);
        int seconds = Math.Max(1, (int)Math.Round(load.Duration.TotalSeconds));
        string output = await Programs.RunAsync(
            wrk,
            [
                $"-t{Math.Min(Threads, load.Connections)}",
                $"-c{load.Connections}",
                $"-d{seconds}s",
                "--timeout",
                "30s",
                "-s",
                script,
                load.Url,
                "--",
                load.Kind.ToString(),
                load.PathPrefix,
                bodies,
                load.Documents.ToString(CultureInfo.InvariantCulture),
                load.Run.ToString(CultureInfo.InvariantCulture),
            ],
            cancel
        );
        return Parse(output);
    }

    /// <summary>The line that both scripts print.</summary>
    internal static HttpLoadResult Parse(string output)
    {
        string? line = output.Split('\n').FirstOrDefault(l => l.StartsWith("RESULT ", StringComparison.Ordinal));
        if (line is null)
            throw new IOException("wrk printed no result:\n" + output);
        double[] values = [.. line.Split(' ').Skip(1).Select(v => double.Parse(v, CultureInfo.InvariantCulture))];
        if (values[2] + values[3] > 0)
            throw new IOException($"of {values[0]} requests {values[2]} were answered with an error and {values[3]} had no answer");
        // wrk counts microseconds.
        return new HttpLoadResult(
            (long)values[0],
            values[0] / (values[1] / 1e6),
            values[4] / 1e3,
            values[5] / 1e3,
            values[6] / 1e3,
            values[7] / 1e3
        );
    }
}
