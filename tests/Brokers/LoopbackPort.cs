using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Jackdaw.Brokers;

/// <summary>Ports of 127.0.0.1 on which nobody listens.</summary>
/// <remarks>
/// They lie below the range from which the system gives ports to outgoing connections. A broker that is restarted must find its
/// port free, and a client that tries
/// again and again meanwhile could otherwise be given that very port and connect to itself.
/// </remarks>
public static class LoopbackPort
{
    private const int First = 15_000;
    private const int End = 32_000;

    private static readonly ConcurrentDictionary<int, bool> s_given = new();

    /// <summary>One that is free now, and that this process has given to nobody else; nothing more keeps it free.</summary>
    public static int Find()
    {
        while (true)
        {
            var port = Random.Shared.Next(First, End);
            try
            {
                using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                probe.Bind(new IPEndPoint(IPAddress.Loopback, port));
                if (s_given.TryAdd(port, true))
                    return port;
            }
            catch (SocketException e) when (e.SocketErrorCode is SocketError.AddressAlreadyInUse or SocketError.AccessDenied)
            {
                // Taken; another one.
            }
        }
    }
}
