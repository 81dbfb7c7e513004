namespace Jackdaw.Server.Security.Certificates;

/// <summary>The server has no such certificate.</summary>
public sealed class CertificateNotFoundException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="thumbprint">As it was asked for.</param>
    public CertificateNotFoundException(string thumbprint)
        : base($"There is no certificate with the thumbprint '{thumbprint}'. './run certificates list' shows those that there are.") { }
}
