using System.Globalization;
using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.Server.Security.Certificates;

/// <summary>Who presents a certificate. A certificate that is stored costs two hashes and a look-up, and allocates nothing.</summary>
internal sealed partial class CertificateStore
{
    /// <summary>Reserved, like that of the server's own certificate: a stored certificate cannot pass for either.</summary>
    private const string WellKnownName = "a well-known administrator";

    private const string HowToBeKnown =
        "An administrator makes a certificate with './run certificates client' on the server's machine, or adds this one with "
        + "'./run certificates add'.";

    /// <inheritdoc/>
    public Identification Identify(X509Certificate2 presented)
    {
        var bytes = presented.RawDataMemory.Span;
        if (!CertificateFacts.TryRead(bytes, out var facts))
            return Identification.Denied("The server cannot read the client certificate. " + HowToBeKnown);
        if (_own is { } own && own.Facts.Pin == facts.Pin)
        {
            // Its dates and purpose are its own affair: the server answers with it all the same.
            if (own.Facts.Hash == facts.Hash)
                return own.Identification;
            return WhyNot(presented, facts, own.Access.Name, ownKey: true) ?? Accept(own.Access, facts);
        }
        if (_wellKnown.Contains(facts, bytes))
            return WhyNot(presented, facts, WellKnownName) ?? Accept(WellKnownAccess(bytes), facts);
        if (_byHash.TryGetValue(facts.Hash, out var stored))
            return WhyNot(presented, facts, stored.Name) ?? stored.Identification;
        // Renewed with the same key: the handshake has proved that it is the same holder.
        if (_byPin.TryGetValue(facts.Pin, out var renewed))
            return WhyNot(presented, facts, renewed[0].Name) ?? Accept(renewed[0].Access, facts);
        return Identification.Denied(
            $"The server does not know the client certificate '{presented.Subject}' (thumbprint {CertificateFacts.Thumbprint(bytes)}), "
                + $"nor another one with its key. {HowToBeKnown}"
        );
    }

    private static Access WellKnownAccess(ReadOnlySpan<byte> certificate) =>
        new()
        {
            Name = WellKnownName,
            Thumbprint = CertificateFacts.Thumbprint(certificate),
            Clearance = Clearance.ClusterAdmin,
        };

    private static Identification Accept(Access access, in CertificateFacts facts) =>
        Identification.Of(access with { ValidUntil = facts.NotAfter });

    /// <summary>Null when the certificate's dates and purpose allow its use now.</summary>
    private Identification? WhyNot(X509Certificate2 presented, in CertificateFacts facts, string name, bool ownKey = false)
    {
        var now = _clock.GetUtcNow().UtcDateTime;
        if (now >= facts.NotBefore && now <= facts.NotAfter && (facts.IsForClients || ownKey))
            return null;
        var thumbprint = CertificateFacts.Thumbprint(presented.RawDataMemory.Span);
        var who = $"The client certificate '{name}' ({presented.Subject}, thumbprint {thumbprint})";
        if (now < facts.NotBefore)
            return Identification.Denied(
                $"{who} is not valid before {Shown(facts.NotBefore)}; the server's clock says {Shown(now)}. "
                    + "Wait until then, or correct the clock that is wrong."
            );
        if (now > facts.NotAfter)
            return Identification.Denied(
                $"{who} expired at {Shown(facts.NotAfter)}; the server's clock says {Shown(now)}. Renew the certificate with the same key, "
                    + "which keeps its rights, or have an administrator make another one with './run certificates client'."
            );
        return Identification.Denied(
            $"{who} is for another purpose: its extended key usage does not allow client authentication (1.3.6.1.5.5.7.3.2). "
                + HowToBeKnown
        );
    }

    private static string Shown(DateTime time) => time.ToString("yyyy-MM-dd HH:mm:ss 'UTC'", CultureInfo.InvariantCulture);
}
