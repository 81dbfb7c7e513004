namespace Jackdaw.Server.Security.Tls;

/// <summary>The files of a certificate as they were read together.</summary>
/// <param name="Certificate">The PFX or PEM file.</param>
/// <param name="Key">The file of the key; null when the key is in the same file.</param>
/// <param name="Hash">Changes with each byte of either file.</param>
internal sealed record CertificateContents(byte[] Certificate, byte[]? Key, string Hash);
