using System.Collections.Concurrent;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Connections.Features;

namespace Jackdaw.Server.Security;

/// <summary>The open connections of clients with certificates: one whose certificate is deleted, expires or loses a right is ended, whether
/// a request runs on it or not. Holds one entry a connection, as long as it is open. Thread-safe, without a lock.</summary>
internal sealed class ClientConnections
{
    private readonly ConcurrentDictionary<ClientConnection, bool> _open = new();

    /// <summary>How many there are.</summary>
    public int Count => _open.Count;

    /// <summary>Remembers a connection until it closes.</summary>
    public ClientConnection Add(IConnectionLifetimeFeature lifetime, X509Certificate2 presented, Access access)
    {
        var connection = new ClientConnection(lifetime, presented, access);
        _open[connection] = true;
        // The registration goes with the connection's own source of the token. One that has closed already runs it at once.
        connection.Closed.UnsafeRegister(_ => _open.TryRemove(connection, out bool _), null);
        return connection;
    }

    /// <summary>Identifies every client again, and ends the connections of those who are refused or may do less than before.</summary>
    /// <returns>Whose connections were ended, one entry a connection.</returns>
    public IReadOnlyList<Access> EndThoseWithLess(ICertificateIdentification certificates)
    {
        var ended = new List<Access>();
        foreach (var (connection, _) in _open)
        {
            // The connection closes and its certificate is disposed of at any moment.
            if (connection.Closed.IsCancellationRequested || !MayDoLess(connection, certificates))
                continue;
            ended.Add(connection.Access);
            connection.Abort();
        }
        return ended;
    }

    private static bool MayDoLess(ClientConnection connection, ICertificateIdentification certificates)
    {
        Access? now;
        try
        {
            now = certificates.Identify(connection.Presented).Access;
        }
        catch (Exception e) when (e is System.Security.Cryptography.CryptographicException or ObjectDisposedException)
        {
            // Disposed of with its connection; were it open all the same, ending it is safe.
            return true;
        }
        var before = connection.Access;
        return now is null
            || now.Clearance < before.Clearance
            || (!now.IsOperator && before.Databases.Any(right => !now.May(right.Key, right.Value)));
    }
}
