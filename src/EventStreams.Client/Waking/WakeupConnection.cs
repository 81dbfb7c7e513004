using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Text.Json;
using Jackdaw.EventStreams.Client.Repeating;

namespace Jackdaw.EventStreams.Client.Waking;

/// <summary>The connection on which the server says that something was stored; made again whenever it is lost.</summary>
internal sealed class WakeupConnection(ServerConnection server, Action<long> wake)
{
    /// <summary>The server sends a line at least every 10 s.</summary>
    private static readonly TimeSpan Silence = TimeSpan.FromSeconds(25);

    /// <summary>How long it rests when the server refuses such a connection.</summary>
    private static readonly TimeSpan RefusedPause = TimeSpan.FromSeconds(15);

    private long _resume = -1;
    private int _connections;

    public int Connections => Volatile.Read(ref _connections);

    /// <summary>Listens until the token is cancelled. Never fails: who waits also looks for itself from time to time.</summary>
    public async Task RunAsync(CancellationToken end)
    {
        var clock = server.Options.Clock;
        var backOff = new BackOff(clock);
        while (!end.IsCancellationRequested)
        {
            using var attempt = new Attempt(clock, Silence, end);
            var pause = TimeSpan.MaxValue;
            try
            {
                await ListenAsync(attempt);
                backOff = new BackOff(clock);
            }
            catch (Exception e) when (e is not (OutOfMemoryException or StackOverflowException))
            {
                if (!attempt.IsPassing(e))
                    pause = RefusedPause;
            }
            if (end.IsCancellationRequested)
                return;
            // Something may have been stored while nobody listened.
            wake(0);
            try
            {
                await (pause == TimeSpan.MaxValue ? backOff.WaitAsync(pause, end) : Task.Delay(pause, clock, end));
            }
            catch (OperationCanceledException)
            {
                return;
            }
        }
    }

    private async Task ListenAsync(Attempt attempt)
    {
        var query = "wakeOnly=true";
        if (_resume >= 0)
            query += string.Create(CultureInfo.InvariantCulture, $"&after={_resume}");
        using var response = await server.SendAsync(HttpMethod.Get, server.Path("events/live", query), null, attempt.Token);
        Interlocked.Increment(ref _connections);
        var lines = PipeReader.Create(await response.Content.ReadAsStreamAsync(attempt.Token));
        while (true)
        {
            attempt.Renew(Silence);
            var read = await lines.ReadAsync(attempt.Token);
            var buffer = read.Buffer;
            while (buffer.PositionOf((byte)'\n') is { } end)
            {
                Take(buffer.Slice(0, end));
                buffer = buffer.Slice(buffer.GetPosition(1, end));
            }
            lines.AdvanceTo(buffer.Start, buffer.End);
            if (read.IsCompleted)
                return;
        }
    }

    private void Take(ReadOnlySequence<byte> line)
    {
        if (line.IsEmpty)
            return;
        using var json = JsonDocument.Parse(line);
        var root = json.RootElement;
        if (root.TryGetProperty("error", out var error))
            throw new IOException($"The {server.Name} ended the connection that wakes readers: {error}");
        if (root.TryGetProperty("databaseId", out var id))
            server.Met(id.GetString() ?? "");
        if (!root.TryGetProperty("durable", out var durable))
            return;
        _resume = durable.GetInt64();
        if (!root.TryGetProperty("heartbeat", out _))
            wake(_resume);
    }
}
