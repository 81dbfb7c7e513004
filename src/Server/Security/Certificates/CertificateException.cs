namespace Jackdaw.Server.Security.Certificates;

/// <summary>A certificate, or what is to be stored with it, is not acceptable. Nothing was changed.</summary>
public sealed class CertificateException : Exception
{
    /// <summary>Creates the error; the message says what is wrong and what is accepted.</summary>
    public CertificateException(string message, Exception? cause = null)
        : base(message, cause) { }
}
