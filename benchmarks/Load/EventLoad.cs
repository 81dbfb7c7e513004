using System.Globalization;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.Load;

/// <summary>
/// Appends events with wrk, one group a request. Each of wrk's threads writes to streams of its own, in turns, so that all connections
/// together never have two requests of one stream on the way.
/// </summary>
/// <param name="Url">Scheme, host, port and path.</param>
/// <param name="Prefix">What the ids of the streams of this run begin with.</param>
/// <param name="EventsOfAGroup">How many, each with a payload of 1 KB.</param>
/// <param name="Connections">Open at once, with one request on the way each.</param>
internal sealed record EventLoad(string Url, string Prefix, int EventsOfAGroup, int Connections)
{
    private const int MaxThreads = 2;
    private const int Payloads = 1024;

    // The groups are made before the clock starts: all that a request adds is its stream and its first number.
    private const string Script = """
        local threads = 0
        function setup(thread)
          thread:set("thread_number", threads)
          threads = threads + 1
        end
        function init(args)
          prefix, size, streams = args[1] .. thread_number .. "-", tonumber(args[2]), tonumber(args[3])
          local payloads = {}
          for line in io.lines(args[4]) do payloads[#payloads + 1] = '{"payload":' .. line .. '}' end
          groups = {}
          for i = 1, 127 do
            local events = {}
            for j = 1, size do events[j] = payloads[(i * 31 + j * 7) % #payloads + 1] end
            groups[i] = ',"events":[' .. table.concat(events, ",") .. "]}]}"
          end
          local address = wrk.path:match("^[^?]*")
          head = "POST " .. address .. " HTTP/1.1\r\nHost: " .. wrk.host .. "\r\nContent-Type: application/json\r\nContent-Length: "
          count = 0
        end
        function request()
          local start = '{"groups":[{"stream":"' .. prefix .. (count % streams) .. '","first":'
            .. string.format("%d", math.floor(count / streams) * size + 1)
          count = count + 1
          local group = groups[count % #groups + 1]
          return head .. (#start + #group) .. "\r\n\r\n" .. start .. group
        end
        function done(summary, latency, requests)
          local errors = summary.errors
          print(string.format("RESULT %d %d %d %d %f %f %f %f", summary.requests, summary.duration,
            errors.status, errors.connect + errors.read + errors.write + errors.timeout,
            latency:percentile(50), latency:percentile(99), latency:percentile(99.9), latency.max))
        end
        """;

    /// <summary>Streams that each thread writes to.</summary>
    public int StreamsOfAThread { get; init; } = 1_000;

    /// <summary>wrk's threads.</summary>
    public int Threads => Math.Min(MaxThreads, Connections);

    /// <summary>The ids of the first streams of each thread.</summary>
    /// <param name="count">How many, all threads together.</param>
    public IEnumerable<string> StreamIds(int count) =>
        Enumerable.Range(0, count).Select(i => string.Create(CultureInfo.InvariantCulture, $"{Prefix}{i % Threads}-{i / Threads}"));

    /// <exception cref="ContenderUnavailableException">wrk is not installed.</exception>
    /// <exception cref="IOException">wrk failed, or an answer was an error.</exception>
    public async Task<HttpLoadResult> RunAsync(TimeSpan duration, string directory, CancellationToken cancel)
    {
        string wrk = Programs.Find("wrk") ?? throw new ContenderUnavailableException("wrk is not installed (apt-get install wrk)");
        string script = Path.Combine(directory, "events.lua");
        string payloads = Path.Combine(directory, "payloads.txt");
        await File.WriteAllTextAsync(script, Script, cancel);
        if (!File.Exists(payloads))
            await File.WriteAllLinesAsync(payloads, new DocumentBodies().Lines(Payloads), cancel);
        string output = await Programs.RunAsync(
            wrk,
            [
                $"-t{Threads}",
                $"-c{Connections}",
                $"-d{Math.Max(1, (int)Math.Round(duration.TotalSeconds))}s",
                "--timeout",
                "30s",
                "-s",
                script,
                Url,
                "--",
                Prefix,
                EventsOfAGroup.ToString(CultureInfo.InvariantCulture),
                StreamsOfAThread.ToString(CultureInfo.InvariantCulture),
                payloads,
            ],
            cancel
        );
        return WrkLoad.Parse(output);
    }
}
