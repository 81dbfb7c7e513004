namespace Jackdaw.Server.Security.Tls;

/// <summary>The files of the server's certificate cannot be used. The message names the file, the reason and the next step.</summary>
internal sealed class CertificateFileException : Exception
{
    public CertificateFileException(string message)
        : base(message) { }

    public CertificateFileException(string message, Exception cause)
        : base(message, cause) { }
}
