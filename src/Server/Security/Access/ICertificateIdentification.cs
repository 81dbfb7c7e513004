using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.Server.Security;

/// <summary>Tells whom a client's certificate belongs to. Thread-safe.</summary>
internal interface ICertificateIdentification
{
    /// <summary>Grows with each change to what <see cref="Identify"/> answers.</summary>
    int Version { get; }

    /// <summary>Identifies the owner of a certificate whose private key the client has proved to hold.</summary>
    Identification Identify(X509Certificate2 presented);
}
