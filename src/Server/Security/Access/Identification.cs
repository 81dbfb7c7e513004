namespace Jackdaw.Server.Security;

/// <summary>Whom a certificate belongs to: an <see cref="Access"/>, or the reason why the server does not accept it.</summary>
/// <param name="Access">Null when the certificate is refused.</param>
/// <param name="Denial">What is missing and how to get it, in whole sentences; null when the certificate is accepted.</param>
internal sealed record Identification(Access? Access, string? Denial)
{
    /// <summary>Accepts the certificate.</summary>
    public static Identification Of(Access access) => new(access, null);

    /// <summary>Refuses the certificate.</summary>
    public static Identification Denied(string why) => new(null, why);
}
