using Microsoft.AspNetCore.Connections;

namespace Jackdaw.Server.Http.Upgrading;

/// <summary>A feature of each connection: takes it away from HTTP for good.</summary>
internal interface IConnectionHandover
{
    /// <summary>
    /// Hands the connection over to another protocol as soon as its request has been answered with 101. Everything that HTTP holds for
    /// the connection is free then. The protocol's task ends with the connection, whose pipes the protocol need not complete.
    /// </summary>
    /// <param name="protocol">Reads and writes the connection's transport. It is given the connection as TLS left it.</param>
    void HandOver(ConnectionDelegate protocol);
}
