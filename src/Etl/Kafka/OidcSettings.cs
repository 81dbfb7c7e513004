using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.Kafka;

/// <summary>
/// The options of the native client for tokens of an OpenID provider (<c>sasl.oauthbearer.method</c> <c>oidc</c>). The server fetches such
/// tokens itself: the native client would connect to whatever address the provider's name leads to.
/// </summary>
internal sealed record OidcSettings
{
    private const string Method = "sasl.oauthbearer.method";
    private const string Url = "sasl.oauthbearer.token.endpoint.url";
    private const string GrantType = "sasl.oauthbearer.grant.type";
    private const string Scope = "sasl.oauthbearer.scope";
    private const string Extensions = "sasl.oauthbearer.extensions";
    private const string Metadata = "sasl.oauthbearer.metadata.authentication.type";
    private const string AuthorityFile = "https.ca.location";
    private const string AuthorityPem = "https.ca.pem";

    private static readonly string[] s_ids = ["sasl.oauthbearer.client.id", "sasl.oauthbearer.client.credentials.client.id"];
    private static readonly string[] s_secrets = ["sasl.oauthbearer.client.secret", "sasl.oauthbearer.client.credentials.client.secret"];

    /// <summary>Options that the native client must not get, since the server does what they say.</summary>
    public static readonly IReadOnlyList<string> Names =
    [
        Method,
        Url,
        GrantType,
        Scope,
        Extensions,
        AuthorityFile,
        AuthorityPem,
        .. s_ids,
        .. s_secrets,
    ];

    public required Uri Endpoint { get; init; }

    public required string ClientId { get; init; }

    public required string ClientSecret { get; init; }

    public string? RequestedScope { get; init; }

    /// <summary>What the broker is told beside the token.</summary>
    public required IDictionary<string, string> SaslExtensions { get; init; }

    /// <summary>Whom to trust at the endpoint; null: whom the machine trusts.</summary>
    public X509Certificate2Collection? Authorities { get; init; }

    /// <summary>Null where the options ask for no such tokens.</summary>
    /// <param name="given">The native client's options.</param>
    /// <exception cref="InvalidConfigurationException">They ask for what only the native client could fetch, or lack something.</exception>
    public static OidcSettings? Of(IReadOnlyDictionary<string, string> given)
    {
        var options = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        // As the native client takes them: of two spellings of one name the last one counts.
        foreach (var (name, value) in given)
            options[name.Trim()] = value;
        string? Value(params ReadOnlySpan<string> names)
        {
            foreach (string name in names)
                if (options.GetValueOrDefault(name) is { Length: > 0 } value)
                    return value;
            return null;
        }

        if (Value(Metadata) is { } metadata && !metadata.Equals("none", StringComparison.OrdinalIgnoreCase))
            return Value(Url) is null
                ? null
                : throw new InvalidConfigurationException(
                    $"Kafka's option '{Url}' cannot be set beside '{Metadata}': tokens of a machine's identity come from the machine's own "
                        + "endpoint. Use ManagedIdentity for another one."
                );
        if (!string.Equals(Value(Method), "oidc", StringComparison.OrdinalIgnoreCase))
            return null;
        if (Value(GrantType) is { } grant && !grant.Equals("client_credentials", StringComparison.OrdinalIgnoreCase))
            throw new InvalidConfigurationException(
                $"Kafka's option '{GrantType}' must be client_credentials, not '{grant}': the server fetches the tokens itself."
            );
        string Required(params ReadOnlySpan<string> names) =>
            Value(names) ?? throw new InvalidConfigurationException($"Kafka's option '{Method}' oidc needs the option '{names[0]}'.");
        return new OidcSettings
        {
            Endpoint =
                Uri.TryCreate(Required(Url), UriKind.Absolute, out var url) && url.Scheme is "http" or "https"
                    ? url
                    : throw new InvalidConfigurationException($"Kafka's option '{Url}' must be an address with http or https."),
            ClientId = Required(s_ids),
            ClientSecret = Required(s_secrets),
            RequestedScope = Value(Scope),
            SaslExtensions = ReadExtensions(Value(Extensions)),
            Authorities = ReadAuthorities(Value(AuthorityFile), Value(AuthorityPem)),
        };
    }

    /// <summary>Without anything secret.</summary>
    public override string ToString() => $"tokens of {Endpoint.Authority}";

    private static Dictionary<string, string> ReadExtensions(string? text)
    {
        var extensions = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (string part in (text ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
            if (part.Split('=', 2) is not [{ Length: > 0 } name, var value] || !extensions.TryAdd(name, value))
                throw new InvalidConfigurationException(
                    $"Kafka's option '{Extensions}' must be name=value, divided by commas, each name once; '{part}' is not."
                );
        return extensions;
    }

    private static X509Certificate2Collection? ReadAuthorities(string? file, string? pem)
    {
        if (file is null && pem is null)
            return null;
        var authorities = new X509Certificate2Collection();
        try
        {
            if (pem is not null)
                authorities.ImportFromPem(pem);
            // "probe" is the native client's word for the machine's own.
            else if (file!.Equals("probe", StringComparison.OrdinalIgnoreCase))
                return null;
            else
                authorities.ImportFromPemFile(file);
        }
        catch (Exception e) when (e is CryptographicException or IOException or UnauthorizedAccessException)
        {
            throw new InvalidConfigurationException($"The authorities of Kafka's '{AuthorityFile}' cannot be read: {e.Message}");
        }
        return authorities;
    }
}
