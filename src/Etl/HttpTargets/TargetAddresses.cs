using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace Jackdaw.Etl.HttpTargets;

/// <summary>
/// To which addresses receivers over HTTP may be connected. Link-local ones and other places where a cloud hands credentials to a machine
/// are always refused: whoever configures a task could otherwise have the server ask there in its own name.
/// </summary>
/// <param name="RefusesPrivate">Whether loopback and private networks are refused, too.</param>
public sealed record TargetAddresses(bool RefusesPrivate)
{
    private const string Credentials = "there a cloud hands credentials to its machines.";
    private const string Private = "it is this machine's or a private network's (ETL.Webhook.RefusePrivateAddresses).";

    private static readonly IPNetwork[] s_credentials =
    [
        IPNetwork.Parse("169.254.0.0/16"),
        IPNetwork.Parse("fe80::/10"),
        // The same services under addresses of other kinds: Amazon's by IPv6, Azure's for its agents, Google's by IPv6, Alibaba's, Oracle's
        // by both, Scaleway's by IPv6.
        IPNetwork.Parse("fd00:ec2::/32"),
        IPNetwork.Parse("168.63.129.16/32"),
        IPNetwork.Parse("fd20:ce::/32"),
        IPNetwork.Parse("100.100.100.200/32"),
        IPNetwork.Parse("192.0.0.192/32"),
        IPNetwork.Parse("fd00:c1::a9fe:a9fe/128"),
        IPNetwork.Parse("fd00:42::42/128"),
    ];

    private static readonly IPNetwork[] s_private =
    [
        IPNetwork.Parse("0.0.0.0/8"),
        IPNetwork.Parse("10.0.0.0/8"),
        IPNetwork.Parse("100.64.0.0/10"),
        IPNetwork.Parse("127.0.0.0/8"),
        IPNetwork.Parse("172.16.0.0/12"),
        IPNetwork.Parse("192.168.0.0/16"),
        IPNetwork.Parse("::/127"),
        IPNetwork.Parse("fc00::/7"),
        IPNetwork.Parse("fec0::/10"),
    ];

    /// <summary>A handler that connects to allowed addresses only, whatever name leads to them, and whatever the name led to
    /// before.</summary>
    public HttpMessageHandler Guard(SocketsHttpHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        handler.ConnectCallback = ConnectAsync;
        return new ProxyGuard(this, handler);
    }

    /// <summary>Says why nothing is sent to an address; null where it may be.</summary>
    public string? Refusal(IPAddress address)
    {
        ArgumentNullException.ThrowIfNull(address);
        foreach (var meant in Meant(address))
        {
            if (Array.Exists(s_credentials, network => network.Contains(meant)))
                return Credentials;
            if (RefusesPrivate && Array.Exists(s_private, network => network.Contains(meant)))
                return Private;
        }
        return null;
    }

    /// <summary>Throws <see cref="RefusedAddressException"/> where a host is at a refused address; the addresses that it is at.</summary>
    private async Task<IPAddress[]> RequireAsync(string host, CancellationToken cancellation)
    {
        var addresses = IPAddress.TryParse(host.Trim('[', ']'), out var literal)
            ? [literal]
            : await Dns.GetHostAddressesAsync(host, cancellation).ConfigureAwait(false);
        foreach (var address in addresses)
            if (Refusal(address) is { } why)
                throw new RefusedAddressException(host, address, why);
        return addresses;
    }

    /// <summary>Connects to the very addresses that were looked at: a name that is resolved twice may lead elsewhere.</summary>
    private async ValueTask<Stream> ConnectAsync(SocketsHttpConnectionContext context, CancellationToken cancellation)
    {
        var end = context.DnsEndPoint;
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            if (IsProxy(context))
                await socket.ConnectAsync(end, cancellation).ConfigureAwait(false);
            else
                await socket
                    .ConnectAsync(await RequireAsync(end.Host, cancellation).ConfigureAwait(false), end.Port, cancellation)
                    .ConfigureAwait(false);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>A proxy is where the machine's administrator says.</summary>
    private static bool IsProxy(SocketsHttpConnectionContext context) =>
        context.InitialRequestMessage.RequestUri is { } url
        && HttpClient.DefaultProxy.GetProxy(url) is { } proxy
        && proxy.IdnHost.Equals(context.DnsEndPoint.Host, StringComparison.OrdinalIgnoreCase)
        && proxy.Port == context.DnsEndPoint.Port;

    /// <summary>The address, and the IPv4 address that is wrapped in it.</summary>
    private static IEnumerable<IPAddress> Meant(IPAddress address)
    {
        yield return address;
        if (address.AddressFamily != AddressFamily.InterNetworkV6)
            yield break;
        byte[] bytes = address.GetAddressBytes();
        // ::ffff:a.b.c.d (mapped), ::a.b.c.d (compatible), ::ffff:0:a.b.c.d and 64:ff9b::a.b.c.d (translated).
        if (bytes.AsSpan(0, 8).IndexOfAnyExcept((byte)0) < 0 || bytes.AsSpan(0, 4).SequenceEqual<byte>([0, 0x64, 0xff, 0x9b]))
            yield return new IPAddress(bytes.AsSpan(12));
        // 2002:a.b.c.d:: (6to4).
        if (bytes[0] == 0x20 && bytes[1] == 0x02)
            yield return new IPAddress(bytes.AsSpan(2, 4));
        // 2001:0:server:…:client (Teredo), the client's bits turned over.
        if (bytes.AsSpan(0, 4).SequenceEqual<byte>([0x20, 0x01, 0, 0]))
        {
            yield return new IPAddress(bytes.AsSpan(4, 4));
            yield return new IPAddress(~BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(12)));
        }
        // …:[02]00:5efe:a.b.c.d (ISATAP), whatever the network.
        if ((bytes[8] & ~2) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe)
            yield return new IPAddress(bytes.AsSpan(12));
    }

    /// <summary>Where a proxy connects, the connection tells nothing of the receiver: its name is looked at before each request, as far
    /// as this machine can resolve it.</summary>
    private sealed class ProxyGuard(TargetAddresses targets, HttpMessageHandler inner) : DelegatingHandler(inner)
    {
        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            if (request.RequestUri is { } url && HttpClient.DefaultProxy.GetProxy(url) is not null)
                try
                {
                    await targets.RequireAsync(url.IdnHost, cancellationToken).ConfigureAwait(false);
                }
                catch (SocketException)
                {
                    // A name that only the proxy knows.
                }
                catch (RefusedAddressException e)
                {
                    throw new HttpRequestException(e.Message, e);
                }
            return await base.SendAsync(request, cancellationToken).ConfigureAwait(false);
        }
    }
}
