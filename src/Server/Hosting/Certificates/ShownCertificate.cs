using Jackdaw.Server.Security;

namespace Jackdaw.Server.Hosting.Certificates;

/// <summary>A stored certificate as the command shows it.</summary>
/// <param name="Name">For people.</param>
/// <param name="Clearance">On the whole server.</param>
/// <param name="Thumbprint">SHA-1, capital hexadecimal digits.</param>
/// <param name="Sha256">The same of SHA-256.</param>
/// <param name="Pin">The SHA-256 of the public key in base64.</param>
/// <param name="NotBefore">UTC.</param>
/// <param name="NotAfter">UTC.</param>
/// <param name="Rights">By database.</param>
internal sealed record ShownCertificate(
    string Name,
    Clearance Clearance,
    string Thumbprint,
    string Sha256,
    string Pin,
    DateTime NotBefore,
    DateTime NotAfter,
    IReadOnlyDictionary<string, DatabaseRight> Rights
);
