using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.AzureIdentity;

/// <summary>An application registration of Entra ID and its secret.</summary>
internal sealed record EntraIdSettings
{
    /// <summary>Of Azure's public cloud; the sovereign ones have others.</summary>
    public const string PublicAuthorityHost = "https://login.microsoftonline.com";

    public required string TenantId { get; init; }

    public required string ClientId { get; init; }

    public required string ClientSecret { get; init; }

    public string AuthorityHost { get; init; } = PublicAuthorityHost;

    /// <summary>Throws <see cref="InvalidConfigurationException"/>. A secret goes over http to this machine only.</summary>
    public void Validate()
    {
        if (
            !Uri.TryCreate(AuthorityHost, UriKind.Absolute, out var host)
            || host.UserInfo.Length > 0
            || host.Query.Length > 0
            || !(host.Scheme == Uri.UriSchemeHttps || (host.Scheme == Uri.UriSchemeHttp && host.IsLoopback))
        )
        {
            throw new InvalidConfigurationException(
                $"The EntraId's AuthorityHost '{AuthorityHost}' must be an absolute https address, such as '{PublicAuthorityHost}'."
            );
        }
    }

    /// <summary>Without the secret.</summary>
    public override string ToString() => $"application {ClientId} of tenant {TenantId}";
}
