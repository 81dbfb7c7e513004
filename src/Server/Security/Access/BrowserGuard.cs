using System.Net;
using Microsoft.Extensions.Primitives;

namespace Jackdaw.Server.Security;

/// <summary>
/// Refuses what a web page of another origin makes a browser send. A browser on a developer's machine reaches a server on loopback, and
/// sends the client certificates that its user has, whatever page asks; clients of the protocol send none of the headers that are looked
/// at here.
/// </summary>
internal sealed class BrowserGuard
{
    private const string SameOrigin = "same-origin";
    private const string ByTheUser = "none";

    private readonly bool _isLoopbackOnly;
    private readonly Uri? _publicUrl;

    /// <param name="isLoopbackOnly">True for a server without certificates: its clients must name this machine, so that a name that an
    /// attacker's DNS leads to loopback is refused.</param>
    /// <param name="publicUrl">The address that clients are told; null when none is configured.</param>
    public BrowserGuard(bool isLoopbackOnly, Uri? publicUrl)
    {
        _isLoopbackOnly = isLoopbackOnly;
        _publicUrl = publicUrl;
    }

    /// <summary>Checks the host that a request names.</summary>
    /// <param name="host">The header <c>Host</c>, with its port.</param>
    /// <exception cref="AccessDeniedException">The server has no certificates, and the host is not this machine.</exception>
    public void RequireHost(string host)
    {
        if (_isLoopbackOnly && !IsOwn(NameOf(host)))
            throw new AccessDeniedException(
                $"This server runs without certificates, so a request must name a loopback host, such as 'localhost', and this one names "
                    + $"'{Shown(host)}'. Send it to localhost, configure PublicServerUrl, or give the server a certificate."
            );
    }

    /// <summary>Checks what browsers say of the page that makes a request.</summary>
    /// <param name="host">The header <c>Host</c>.</param>
    /// <param name="origin">The header <c>Origin</c>.</param>
    /// <param name="site">The header <c>Sec-Fetch-Site</c>.</param>
    /// <exception cref="AccessDeniedException">The page is another server's.</exception>
    public void RequirePage(string host, StringValues origin, StringValues site)
    {
        if (site.Count > 0 && site.ToString() is not (SameOrigin or ByTheUser))
            throw new AccessDeniedException(
                "A web page of another origin may not send requests to this server "
                    + $"(Sec-Fetch-Site is '{Shown(site.ToString())}', and only '{SameOrigin}' and '{ByTheUser}' are answered)."
            );
        if (origin.Count > 0 && !IsOwnOrigin(origin.ToString(), host))
            throw new AccessDeniedException(
                $"A web page of the origin '{Shown(origin.ToString())}' may not send requests to this server: only pages of the server's "
                    + "own address may."
            );
    }

    private bool IsOwnOrigin(string origin, string host)
    {
        if (!Uri.TryCreate(origin, UriKind.Absolute, out var url) || url.Scheme is not ("http" or "https"))
            return false;
        // Once with the port that the scheme implies, once as it is written.
        return IsSame(url.Authority, host)
            || IsSame($"{url.Host}:{url.Port}", host)
            || (_publicUrl is not null && url.Scheme == _publicUrl.Scheme && IsSame(url.Authority, _publicUrl.Authority));
    }

    private bool IsOwn(ReadOnlySpan<char> name)
    {
        if (name.Equals("localhost", StringComparison.OrdinalIgnoreCase) || name.EndsWith(".localhost", StringComparison.OrdinalIgnoreCase))
            return true;
        if (_publicUrl is not null && name.Equals(_publicUrl.Host.AsSpan().Trim("[]"), StringComparison.OrdinalIgnoreCase))
            return true;
        return IPAddress.TryParse(name, out var address) && IPAddress.IsLoopback(address);
    }

    /// <summary>Without port, brackets, and the dot of a complete name.</summary>
    private static ReadOnlySpan<char> NameOf(string host)
    {
        var name = host.AsSpan();
        if (name.StartsWith("["))
            return name.IndexOf(']') is var end and > 0 ? name[1..end] : default;
        if (name.IndexOf(':') is var colon and >= 0)
            name = name[..colon];
        return name.EndsWith(".") ? name[..^1] : name;
    }

    private static bool IsSame(string one, string other) => one.Equals(other, StringComparison.OrdinalIgnoreCase);

    private static string Shown(string text) => text.Length <= 200 ? text : text[..200] + "…";
}
