using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using Jackdaw.EventStreams.Client.Repeating;

namespace Jackdaw.EventStreams.Client.Waking;

/// <summary>
/// The connection on which the server says that something was stored; made again whenever it is lost, and when what is followed changes.
/// </summary>
internal sealed class WakeupConnection(ServerConnection server, Wakeups wakeups)
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
            using var changed = new CancellationTokenSource(Timeout.InfiniteTimeSpan, clock);
            using var stop = CancellationTokenSource.CreateLinkedTokenSource(end, changed.Token);
            using var attempt = new Attempt(clock, Silence, stop.Token);
            var pause = TimeSpan.MaxValue;
            try
            {
                await ListenAsync(wakeups.BeginConnection(changed), attempt);
                backOff = new BackOff(clock);
            }
            catch (OperationCanceledException) when (changed.IsCancellationRequested)
            {
                pause = TimeSpan.Zero;
            }
            catch (Exception e) when (e is not (OutOfMemoryException or StackOverflowException))
            {
                if (!attempt.IsPassing(e))
                    pause = RefusedPause;
            }
            wakeups.EndConnection(isLost: pause != TimeSpan.Zero);
            if (end.IsCancellationRequested)
                return;
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

    private async Task ListenAsync(FollowedNames names, Attempt attempt)
    {
        var query = "wakeOnly=true&named=true";
        if (_resume >= 0)
            query += string.Create(CultureInfo.InvariantCulture, $"&after={_resume}");
        using var response = await server.SendAsync(HttpMethod.Get, server.Path("events/live", query + names.Query), null, attempt.Token);
        Interlocked.Increment(ref _connections);
        var lines = PipeReader.Create(await response.Content.ReadAsStreamAsync(attempt.Token));
        while (true)
        {
            attempt.Renew(Silence);
            var read = await lines.ReadAsync(attempt.Token);
            var buffer = read.Buffer;
            while (buffer.PositionOf((byte)'\n') is { } end)
            {
                if (!buffer.Slice(0, end).IsEmpty)
                    Take(WakeLine.Parse(buffer.Slice(0, end)));
                buffer = buffer.Slice(buffer.GetPosition(1, end));
            }
            lines.AdvanceTo(buffer.Start, buffer.End);
            if (read.IsCompleted)
                return;
        }
    }

    private void Take(WakeLine line)
    {
        if (line.Error is { } error)
            throw new IOException($"The {server.Name} ended the connection that wakes readers: {error}");
        if (line.DatabaseId is { } id)
        {
            server.Met(id);
            wakeups.NoteConnected();
        }
        if (line.Durable is not { } durable)
            return;
        _resume = durable;
        wakeups.Take(line, durable);
    }
}
