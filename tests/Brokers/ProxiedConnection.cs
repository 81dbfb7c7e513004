using System.Net;
using System.Net.Sockets;

namespace Jackdaw.Brokers;

/// <summary>One connection of a client through a <see cref="CuttingProxy"/>, and the one to the server behind it.</summary>
internal sealed class ProxiedConnection(CuttingProxy proxy, Socket client)
{
    private readonly Socket _server = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly TaskCompletionSource _cut = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile bool _hasSwallowed;
    private volatile bool _isHeld;

    /// <summary>Whether an answer of the server's went nowhere.</summary>
    public bool HasSwallowed => _hasSwallowed;

    /// <summary>Whether a request waits to be released.</summary>
    public bool IsHeld => _isHeld;

    /// <summary>Ends when nothing passes any more; never fails.</summary>
    public Task Ended { get; private set; } = Task.CompletedTask;

    public void Begin(int targetPort) => Ended = RunAsync(targetPort);

    /// <summary>Resets both sides.</summary>
    public void Cut()
    {
        _cut.TrySetResult();
        Reset(client);
        Reset(_server);
    }

    private static void Reset(Socket socket)
    {
        try
        {
            // Closing with a linger of nothing sends a reset.
            socket.LingerState = new LingerOption(true, 0);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // Closed already, or never connected.
        }
        socket.Dispose();
    }

    private async Task RunAsync(int targetPort)
    {
        // Not on the accepting loop.
        await Task.Yield();
        try
        {
            await WaitUntilPassingAsync();
            client.NoDelay = true;
            _server.NoDelay = true;
            await _server.ConnectAsync(new IPEndPoint(IPAddress.Loopback, targetPort), proxy.End);
            await Task.WhenAll(
                PumpAsync(client, _server, proxy.BudgetToServer, isAnswer: false),
                PumpAsync(_server, client, proxy.BudgetToClient, isAnswer: true)
            );
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // One side is gone, the other one goes too; a pump that still waits ends with its socket.
        }
        finally
        {
            Cut();
            proxy.Remove(this);
        }
    }

    private async Task PumpAsync(Socket from, Socket to, Budget budget, bool isAnswer)
    {
        var buffer = new byte[16 * 1024];
        try
        {
            while (await from.ReceiveAsync(buffer) is var received && received > 0)
            {
                await WaitUntilPassingAsync();
                if (!isAnswer && proxy.HeldAsync(buffer.AsSpan(0, received)) is { } released)
                {
                    _isHeld = true;
                    await released;
                    _isHeld = false;
                }
                if (isAnswer && proxy.SwallowAnswers)
                {
                    _hasSwallowed = true;
                    continue;
                }
                var (bytes, isCut) = budget.Take(received);
                await SendAsync(to, buffer.AsMemory(0, bytes));
                if (isCut)
                {
                    proxy.CutAll();
                    return;
                }
            }
            to.Shutdown(SocketShutdown.Send);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            Cut();
        }
    }

    private static async Task SendAsync(Socket to, ReadOnlyMemory<byte> bytes)
    {
        while (bytes.Length > 0)
            bytes = bytes[await to.SendAsync(bytes)..];
    }

    private async Task WaitUntilPassingAsync()
    {
        while (proxy.PassingAsync() is { IsCompleted: false } passing)
        {
            await Task.WhenAny(passing, _cut.Task);
            ObjectDisposedException.ThrowIf(_cut.Task.IsCompleted, this);
        }
    }
}
