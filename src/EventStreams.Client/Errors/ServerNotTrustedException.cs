namespace Jackdaw.EventStreams.Client.Errors;

/// <summary>
/// What answers at the server's address has a certificate that this client does not trust. Nothing was sent to it. The message describes
/// the certificate. See <see cref="EventStreamsClientOptions.ServerPin"/> and <see cref="EventStreamsClientOptions.ServerAuthorities"/>.
/// </summary>
public sealed class ServerNotTrustedException : EventStreamsException
{
    internal ServerNotTrustedException(string message, Exception inner)
        : base(message, inner) { }
}
