using System.Diagnostics;
using System.Globalization;
using System.Text;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>COPY FROM STDIN of the same ids and documents through psql, until it has committed.</summary>
internal sealed class PostgreSqlCopy(long documents) : Contender(RowName)
{
    public const string RowName = "postgresql copy";
    private const int BufferSize = 128 << 10;
    private readonly DocumentBodies _bodies = new();
    private PostgreSqlServer? _server;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel) =>
        _server = await PostgreSqlServer.StartAsync(context.Directory, cancel);

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await _server!.QueryAsync($"TRUNCATE {PostgreSqlServer.Table}", cancel);
        await _server.CheckpointAsync(cancel);
        var cpu = new CpuMeter(_server.ProcessId);
        var clock = Stopwatch.StartNew();
        await _server.QueryAsync($"COPY {PostgreSqlServer.Table} (id, body) FROM STDIN", cancel, WriteRowsAsync);
        double seconds = clock.Elapsed.TotalSeconds;
        double cpuMicroseconds = cpu.MicrosecondsPer(documents);
        string count = await _server.QueryAsync($"SELECT count(*) FROM {PostgreSqlServer.Table}", cancel);
        if (long.Parse(count, CultureInfo.InvariantCulture) != documents)
            throw new IOException($"PostgreSQL has {count.Trim()} rows after a COPY of {documents}");
        return new Sample()
            .With(Metric.Rate, documents / seconds)
            .With(Metric.Throughput, documents * (double)DocumentBodies.Size / 1e6 / seconds)
            .With(Metric.Seconds, seconds)
            .With(Metric.Cpu, cpuMicroseconds);
    }

    public override Task SettleAsync(CancellationToken cancel) => _server!.CheckpointAsync(cancel);

    public override async Task CloseAsync()
    {
        if (_server is not null)
            await _server.DisposeAsync();
    }

    // Text format: id, tab, body, line feed. The bodies have no character that COPY would want escaped.
    private async Task WriteRowsAsync(Stream input)
    {
        byte[] buffer = new byte[BufferSize + 2 * DocumentBodies.Size];
        int used = 0;
        for (long number = 0; number < documents; number++)
        {
            used += Encoding.ASCII.GetBytes(
                string.Create(CultureInfo.InvariantCulture, $"{DocumentIds.Prefix}{number}\t"),
                buffer.AsSpan(used)
            );
            _bodies.Write(number, buffer.AsSpan(used, DocumentBodies.Size));
            used += DocumentBodies.Size;
            buffer[used++] = (byte)'\n';
            if (used < BufferSize)
                continue;
            await input.WriteAsync(buffer.AsMemory(0, used));
            used = 0;
        }
        await input.WriteAsync(buffer.AsMemory(0, used));
    }
}
