using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Jackdaw.Brokers;

/// <summary>
/// A TCP proxy on a free port of 127.0.0.1 that cuts connections where a test wants it: before, in the middle of, or after a
/// request or its answer; or holds or swallows
/// what passes. A cut is a reset in both directions, as a machine that went down would make it. All members may be used from any thread.
/// </summary>
public sealed class CuttingProxy : IAsyncDisposable
{
    private readonly Lock _lock = new();
    private readonly HashSet<ProxiedConnection> _connections = [];
    private readonly Budget _toServer = new();
    private readonly Budget _toClient = new();
    private readonly CancellationTokenSource _end = new();
    private Socket _listener;
    private Task _accepting;
    private TaskCompletionSource _passing = Completed();
    private ProxyMode _mode = ProxyMode.Pass;
    private TaskCompletionSource _notHeld = Completed();
    private byte[]? _heldBeginning;
    private bool _swallowsAnswers;
    private int _connectionsMade;

    private CuttingProxy(int targetPort)
    {
        TargetPort = targetPort;
        Port = LoopbackPort.Find();
        _listener = Bind();
        _listener.Listen();
        _accepting = AcceptAsync(_listener);
    }

    /// <summary>Where clients connect.</summary>
    public int Port { get; }

    /// <summary>Where new connections go to, on 127.0.0.1. May be set later than the proxy starts: Kafka has to know the proxy's
    /// port first.</summary>
    public int TargetPort { get; set; }

    /// <summary>How many connections it has accepted since it started.</summary>
    public int ConnectionsMade => Volatile.Read(ref _connectionsMade);

    /// <summary>How many bytes reached the server.</summary>
    public long BytesToServer => _toServer.Passed;

    /// <summary>How many bytes reached clients.</summary>
    public long BytesToClient => _toClient.Passed;

    /// <summary>How many times <see cref="CutAfterBytes"/> has cut.</summary>
    public int Cuts => _toServer.Cuts + _toClient.Cuts;

    /// <summary>Holds from its setting on, for connections that exist too.</summary>
    public ProxyMode Mode
    {
        get
        {
            lock (_lock)
                return _mode;
        }
        set => Change(value);
    }

    /// <summary>
    /// Requests reach the server, its answers reach nobody. Setting it back cuts the connections that missed something; cutting
    /// them oneself meanwhile is a connection
    /// lost after the request and before its answer.
    /// </summary>
    public bool SwallowAnswers
    {
        get => Volatile.Read(ref _swallowsAnswers);
        set
        {
            Volatile.Write(ref _swallowsAnswers, value);
            if (value)
                return;
            foreach (var connection in Connections())
                if (connection.HasSwallowed)
                    connection.Cut();
        }
    }

    /// <summary>
    /// Holds requests that begin with this text, for example <c>POST </c>, while others pass; null: releases them. A client that gives up
    /// meanwhile and closes its connection changes nothing: what it sent reaches the server when it is released.
    /// </summary>
    public string? HeldBeginning
    {
        set
        {
            TaskCompletionSource released;
            lock (_lock)
            {
                released = _notHeld;
                _heldBeginning = value is null ? null : Encoding.ASCII.GetBytes(value);
                _notHeld = value is null ? Completed() : new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            }
            released.TrySetResult();
        }
    }

    /// <summary>How many connections have a request that is held: see <see cref="HeldBeginning"/>.</summary>
    public int HeldRequests => Connections().Count(connection => connection.IsHeld);

    /// <summary>Whether an answer went nowhere on a connection that is still there: see <see cref="SwallowAnswers"/>.</summary>
    public bool HasSwallowed => Connections().Any(connection => connection.HasSwallowed);

    /// <summary>Starts one.</summary>
    /// <param name="targetPort">Of 127.0.0.1; see <see cref="TargetPort"/>.</param>
    public static CuttingProxy Start(int targetPort) => new(targetPort);

    /// <summary>Cuts every connection there is. New ones are accepted.</summary>
    public void CutAll()
    {
        foreach (var connection in Connections())
            connection.Cut();
    }

    /// <summary>
    /// Cuts every connection, once, when so many further bytes have passed, over all connections together. 0: the next byte gets nowhere.
    /// </summary>
    /// <param name="toServer">Bytes of requests; null: no such cut (one that was asked for before is forgotten).</param>
    /// <param name="toClient">Bytes of answers, likewise.</param>
    public void CutAfterBytes(long? toServer = null, long? toClient = null)
    {
        _toServer.Set(toServer);
        _toClient.Set(toClient);
    }

    /// <inheritdoc />
    public async ValueTask DisposeAsync()
    {
        HeldBeginning = null;
        await _end.CancelAsync();
        Task accepting;
        lock (_lock)
        {
            _listener.Dispose();
            accepting = _accepting;
        }
        await accepting;
        var connections = Connections();
        CutAll();
        await Task.WhenAll(connections.Select(connection => connection.Ended));
        _end.Dispose();
    }

    internal CancellationToken End => _end.Token;

    internal Budget BudgetToServer => _toServer;

    internal Budget BudgetToClient => _toClient;

    /// <summary>Ends once bytes may pass.</summary>
    internal Task PassingAsync()
    {
        lock (_lock)
            return _passing.Task;
    }

    /// <summary>Ends once these bytes of a request may pass; null: they may pass now.</summary>
    internal Task? HeldAsync(ReadOnlySpan<byte> request)
    {
        lock (_lock)
            return _heldBeginning is { } beginning && request.StartsWith(beginning) ? _notHeld.Task : null;
    }

    internal void Remove(ProxiedConnection connection)
    {
        lock (_lock)
            _connections.Remove(connection);
    }

    private static TaskCompletionSource Completed()
    {
        var source = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        source.SetResult();
        return source;
    }

    private void Change(ProxyMode mode)
    {
        TaskCompletionSource? released = null;
        lock (_lock)
        {
            var was = _mode;
            _mode = mode;
            if (mode == ProxyMode.BlackHole && _passing.Task.IsCompleted)
                _passing = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            else if (mode != ProxyMode.BlackHole)
                released = _passing;
            if (mode == ProxyMode.Refuse && was != ProxyMode.Refuse)
            {
                // Bound and not listening: the port stays ours, and connecting to it is refused.
                _listener.Dispose();
                _listener = Bind();
            }
            else if (mode != ProxyMode.Refuse && was == ProxyMode.Refuse)
            {
                _listener.Listen();
                _accepting = AcceptAsync(_listener);
            }
        }
        if (mode == ProxyMode.Refuse)
            CutAll();
        released?.TrySetResult();
    }

    private Socket Bind()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, Port));
        return socket;
    }

    private ProxiedConnection[] Connections()
    {
        lock (_lock)
            return [.. _connections];
    }

    private async Task AcceptAsync(Socket listener)
    {
        while (true)
        {
            Socket client;
            try
            {
                client = await listener.AcceptAsync(End);
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException or OperationCanceledException)
            {
                return;
            }
            Interlocked.Increment(ref _connectionsMade);
            var connection = new ProxiedConnection(this, client);
            lock (_lock)
                _connections.Add(connection);
            connection.Begin(TargetPort);
            // It may have come in while the mode changed.
            if (Mode == ProxyMode.Refuse)
                connection.Cut();
        }
    }
}
