using Microsoft.AspNetCore.Connections;

namespace Jackdaw.Server.Security.Tls;

/// <summary>
/// Connections in a state that anybody can bring about: a handshake under way, or a client whom the server does not know. Each may be in it
/// for a limited time; and when there are too many, the one that has been in it the longest ends, which is that of a client that does
/// not go on rather than that of one that needs a millisecond. Thread-safe.
/// </summary>
internal sealed class BoundedConnections : IDisposable
{
    private static readonly TimeSpan s_sweepInterval = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();

    /// <summary>Since when, rising.</summary>
    private readonly LinkedList<BoundedConnection> _open = new();
    private readonly ConnectionBound _bound;
    private readonly TimeProvider _clock;
    private readonly ITimer _timer;
    private bool _isSweeping;
    private long _ended;

    public BoundedConnections(ConnectionBound bound, TimeProvider? clock = null)
    {
        _bound = bound;
        _clock = clock ?? TimeProvider.System;
        _timer = _clock.CreateTimer(_ => Sweep(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Connections in the state now.</summary>
    public int Count
    {
        get
        {
            lock (_lock)
                return _open.Count;
        }
    }

    /// <summary>Connections that were ended because they took too long, or because there were too many.</summary>
    public long Ended => Interlocked.Read(ref _ended);

    /// <summary>A connection comes into the state. The caller ends it there, whatever becomes of the connection.</summary>
    public BoundedConnection Begin(ConnectionContext connection)
    {
        var bounded = new BoundedConnection(this, connection, _clock.GetTimestamp());
        ConnectionContext? oldest = null;
        lock (_lock)
        {
            if (_open.Count >= _bound.Most)
                oldest = RemoveOldest();
            _open.AddLast(bounded.Node);
            if (!_isSweeping)
            {
                _isSweeping = true;
                _timer.Change(s_sweepInterval, s_sweepInterval);
            }
        }
        if (oldest is not null)
            End(oldest, _bound.WhyTooMany);
        return bounded;
    }

    /// <summary>Ends the connections that have taken too long.</summary>
    public void Sweep()
    {
        List<ConnectionContext>? late = null;
        var now = _clock.GetTimestamp();
        lock (_lock)
        {
            while (_open.First?.Value is { } oldest && _clock.GetElapsedTime(oldest.Since, now) >= _bound.Longest)
                (late ??= []).Add(RemoveOldest());
            if (_open.Count == 0)
            {
                _isSweeping = false;
                _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            }
        }
        foreach (var connection in late ?? [])
            End(connection, _bound.WhyTooLong);
    }

    public void Dispose() => _timer.Dispose();

    internal void Renew(BoundedConnection bounded)
    {
        lock (_lock)
        {
            if (bounded.Node.List is null)
                return;
            _open.Remove(bounded.Node);
            bounded.Since = _clock.GetTimestamp();
            _open.AddLast(bounded.Node);
        }
    }

    internal void Remove(BoundedConnection bounded)
    {
        lock (_lock)
            if (bounded.Node.List is not null)
                _open.Remove(bounded.Node);
    }

    private ConnectionContext RemoveOldest()
    {
        var oldest = _open.First!;
        _open.Remove(oldest);
        return oldest.Value.Connection;
    }

    private void End(ConnectionContext connection, string reason)
    {
        Interlocked.Increment(ref _ended);
        connection.Abort(new ConnectionAbortedException(reason));
    }
}
