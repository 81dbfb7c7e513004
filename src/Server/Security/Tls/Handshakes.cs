using Microsoft.AspNetCore.Connections;

namespace Jackdaw.Server.Security.Tls;

/// <summary>
/// The handshakes under way, oldest first. A client has a limited time for its handshake, from the moment it connects; and when there
/// are too many the oldest ends, which is that of a client that does not go on rather than that of one that needs a millisecond.
/// Thread-safe.
/// </summary>
internal sealed class Handshakes : IDisposable
{
    private static readonly TimeSpan s_sweepInterval = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly LinkedList<Handshake> _underWay = new();
    private readonly TlsLimits _limits;
    private readonly TimeProvider _clock;
    private readonly ITimer _timer;
    private bool _isSweeping;
    private long _ended;

    public Handshakes(TlsLimits limits, TimeProvider? clock = null)
    {
        _limits = limits;
        _clock = clock ?? TimeProvider.System;
        _timer = _clock.CreateTimer(_ => Sweep(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Handshakes under way now.</summary>
    public int Count
    {
        get
        {
            lock (_lock)
                return _underWay.Count;
        }
    }

    /// <summary>Handshakes that were ended because they took too long, or because there were too many.</summary>
    public long Ended => Interlocked.Read(ref _ended);

    /// <summary>A client has connected. The caller ends the handshake when it is over, whatever its outcome.</summary>
    public Handshake Begin(ConnectionContext connection)
    {
        var handshake = new Handshake(this, connection, _clock.GetTimestamp());
        ConnectionContext? oldest = null;
        lock (_lock)
        {
            if (_underWay.Count >= _limits.MaxHandshakes)
                oldest = RemoveOldest();
            _underWay.AddLast(handshake.Node);
            if (!_isSweeping)
            {
                _isSweeping = true;
                _timer.Change(s_sweepInterval, s_sweepInterval);
            }
        }
        if (oldest is not null)
            End(oldest, $"{_limits.MaxHandshakes} TLS handshakes are under way (Limits.MaxTlsHandshakes), and this is the oldest of them.");
        return handshake;
    }

    /// <summary>Ends the handshakes that have taken too long.</summary>
    public void Sweep()
    {
        List<ConnectionContext>? late = null;
        var now = _clock.GetTimestamp();
        lock (_lock)
        {
            while (_underWay.First?.Value is { } oldest && _clock.GetElapsedTime(oldest.BeganAt, now) >= _limits.HandshakeTimeout)
                (late ??= []).Add(RemoveOldest());
            if (_underWay.Count == 0)
            {
                _isSweeping = false;
                _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            }
        }
        foreach (var connection in late ?? [])
            End(connection, $"The TLS handshake took longer than {_limits.HandshakeTimeout} (Limits.TlsHandshakeTimeoutInSec).");
    }

    public void Dispose() => _timer.Dispose();

    internal void Remove(Handshake handshake)
    {
        lock (_lock)
            if (handshake.Node.List is not null)
                _underWay.Remove(handshake.Node);
    }

    private ConnectionContext RemoveOldest()
    {
        var oldest = _underWay.First!;
        _underWay.Remove(oldest);
        return oldest.Value.Connection;
    }

    private void End(ConnectionContext connection, string reason)
    {
        Interlocked.Increment(ref _ended);
        connection.Abort(new ConnectionAbortedException(reason));
    }
}
