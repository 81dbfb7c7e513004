namespace Jackdaw.Server.Security.Tls;

/// <summary>A feature of connections whose client the server does not know. It is gone on the connections of known clients.</summary>
/// <param name="Place">Its place among all of them.</param>
internal sealed record UnknownClient(BoundedConnection Place);
