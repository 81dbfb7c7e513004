using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Tests.Security;

/// <summary>Clients that the test makes up, each with a certificate of its own.</summary>
internal sealed class KnownClients : ICertificateIdentification, IDisposable
{
    private readonly ConcurrentDictionary<string, Identification> _known = new(StringComparer.Ordinal);
    private readonly List<X509Certificate2> _certificates = [];
    private int _version;

    public int Version => Volatile.Read(ref _version);

    /// <summary>How often a certificate was looked at.</summary>
    public int Identified { get; private set; }

    public Identification Identify(X509Certificate2 presented)
    {
        Identified++;
        return _known.GetValueOrDefault(presented.Thumbprint)
            ?? Identification.Denied($"The server does not know the certificate '{presented.Subject}'.");
    }

    /// <summary>Makes a certificate that the server does not know.</summary>
    public X509Certificate2 Unknown(string name)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        var certificate = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(365));
        _certificates.Add(certificate);
        return certificate;
    }

    /// <summary>Makes a certificate that the server refuses for a reason of its own.</summary>
    public X509Certificate2 Refused(string name, string why)
    {
        var certificate = Unknown(name);
        _known[certificate.Thumbprint] = Identification.Denied(why);
        return certificate;
    }

    /// <summary>Makes a client's certificate.</summary>
    public X509Certificate2 Add(string name, Clearance clearance, params (string Database, DatabaseRight Right)[] rights)
    {
        var certificate = Unknown(name);
        Set(certificate, name, clearance, rights);
        return certificate;
    }

    /// <summary>Changes what a certificate may do.</summary>
    public void Set(X509Certificate2 certificate, string name, Clearance clearance, params (string Database, DatabaseRight Right)[] rights)
    {
        _known[certificate.Thumbprint] = Identification.Of(
            new Access
            {
                Name = name,
                Thumbprint = certificate.Thumbprint,
                Clearance = clearance,
                Databases = rights.ToDictionary(one => one.Database, one => one.Right),
            }
        );
        Interlocked.Increment(ref _version);
    }

    /// <summary>Deletes a certificate.</summary>
    public void Remove(X509Certificate2 certificate)
    {
        _known.TryRemove(certificate.Thumbprint, out _);
        Interlocked.Increment(ref _version);
    }

    public void Dispose()
    {
        foreach (var certificate in _certificates)
            certificate.Dispose();
    }
}
