using System.Net;

namespace Jackdaw.Etl.HttpTargets;

/// <summary>A receiver over HTTP is at an address to which the server sends nothing. Nothing was sent.</summary>
public sealed class RefusedAddressException : IOException
{
    /// <summary>Creates the error.</summary>
    public RefusedAddressException(string host, IPAddress address, string why)
        : base($"'{host}' is at the address {address}, to which this server sends nothing: {why}") { }
}
