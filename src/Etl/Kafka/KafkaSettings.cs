using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.Kafka;

/// <summary>A Kafka cluster and how to connect to it: the protocol's <c>KafkaConnectionSettings</c>, secrets in place. Immutable.</summary>
internal sealed record KafkaSettings
{
    /// <summary>Hosts and ports, divided by commas.</summary>
    public required string BootstrapServers { get; init; }

    /// <summary>Options of the native client, as its documentation names them; see <see cref="KafkaOptions"/> for those that are
    /// refused.</summary>
    public IReadOnlyDictionary<string, string> Options { get; init; } = new Dictionary<string, string>();

    /// <summary>The server shows its own certificate to the brokers.</summary>
    public bool UseServerCertificate { get; init; }

    /// <summary>Tokens come from the endpoint of a managed identity; null: they do not.</summary>
    public ManagedIdentitySettings? ManagedIdentity { get; init; }

    /// <summary>Tokens come from an OpenID provider; null: they do not.</summary>
    /// <exception cref="InvalidConfigurationException">The options ask for what the server does not do.</exception>
    public OidcSettings? Oidc => OidcSettings.Of(Options);

    /// <summary>Throws <see cref="InvalidConfigurationException"/>.</summary>
    public static KafkaSettings Read(JsonMembers members, IMachineSecrets machine)
    {
        var settings = new KafkaSettings
        {
            BootstrapServers = Secrets.Expand(members.RequiredText("BootstrapServers"), machine),
            Options = members
                .OptionalTextMembers("ConnectionOptions")
                .ToDictionary(
                    option => option.Key,
                    option => Given(option.Key, Secrets.Expand(option.Value, machine), machine),
                    StringComparer.OrdinalIgnoreCase
                ),
            UseServerCertificate = members.Flag("UseRavenCertificate"),
            ManagedIdentity = members.Optional("ManagedIdentity") is { } identity ? ManagedIdentitySettings.Read(identity) : null,
        };
        settings.Validate();
        return settings;
    }

    private void Validate()
    {
        if (BootstrapServers.Contains("://", StringComparison.Ordinal))
            throw new InvalidConfigurationException(
                $"Kafka's BootstrapServers are hosts and ports like 'one:9092,two:9092', without a scheme; not '{BootstrapServers}'."
            );
        foreach (string name in Options.Keys)
        {
            if (KafkaOptions.Refusal(name) is { } reason)
                throw new InvalidConfigurationException($"Kafka's option '{name}' cannot be set: {reason}");
            if (KafkaOptions.IsInCommand(name) && Options[name].AsSpan().ContainsAnyExcept(KafkaOptions.InCommand))
                throw new InvalidConfigurationException(
                    $"Kafka's option '{name}' becomes part of a command: it may have letters, digits and @ . _ - / only."
                );
        }
        if (ManagedIdentity is not null && Oidc is not null)
            throw new InvalidConfigurationException(
                "Kafka's tokens come from ManagedIdentity or from a token endpoint (sasl.oauthbearer.method oidc), not from both."
            );
        if (
            ManagedIdentity is not null
            && !string.Equals(
                Options.GetValueOrDefault("sasl.mechanism") ?? Options.GetValueOrDefault("sasl.mechanisms"),
                "OAUTHBEARER",
                StringComparison.OrdinalIgnoreCase
            )
        )
            throw new InvalidConfigurationException(
                "Kafka's ManagedIdentity needs the option 'sasl.mechanism' to be OAUTHBEARER (and 'security.protocol' to be SASL_SSL)."
            );
    }

    private static string Given(string name, string value, IMachineSecrets machine) =>
        KafkaOptions.NamesSecretFile(name) && value.Length > 0 ? machine.RequireFile(value) : value;

    /// <summary>Without anything secret.</summary>
    public override string ToString() => $"Kafka at {BootstrapServers}";
}
