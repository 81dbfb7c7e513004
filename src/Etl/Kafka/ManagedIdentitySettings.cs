using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.Kafka;

/// <summary>Where tokens of a managed identity come from. Immutable.</summary>
internal sealed record ManagedIdentitySettings
{
    /// <summary>The endpoint that Azure's virtual machines see.</summary>
    private const string VirtualMachine = "http://169.254.169.254/metadata/identity/oauth2/token";

    /// <summary>What the tokens are for, e.g. <c>https://‹namespace›.servicebus.windows.net</c>.</summary>
    public required string Resource { get; init; }

    /// <summary>Of a user-assigned identity; null: the one that there is.</summary>
    public string? ClientId { get; init; }

    /// <summary>
    /// An http address. App Service, Functions and Container Apps give theirs in the environment (<c>IDENTITY_ENDPOINT</c>, with
    /// <c>IDENTITY_HEADER</c>), which is taken
    /// where none is configured; elsewhere it is that of virtual machines.
    /// </summary>
    public required Uri Endpoint { get; init; }

    /// <summary>Sent as <c>X-IDENTITY-HEADER</c> instead of <c>Metadata: true</c>; null: not.</summary>
    public string? HeaderSecret { get; init; }

    /// <summary>Throws <see cref="InvalidConfigurationException"/>.</summary>
    public static ManagedIdentitySettings Read(JsonMembers members)
    {
        string? ofHost = Environment.GetEnvironmentVariable("IDENTITY_ENDPOINT");
        string? given = members.Text("Endpoint");
        string endpoint = given ?? ofHost ?? VirtualMachine;
        if (!Uri.TryCreate(endpoint, UriKind.Absolute, out var url) || url.Scheme is not ("http" or "https"))
            throw new InvalidConfigurationException($"The endpoint of the managed identity, '{endpoint}', is no http address.");
        return new ManagedIdentitySettings
        {
            Resource = members.RequiredText("Resource"),
            ClientId = members.Text("ClientId"),
            Endpoint = url,
            HeaderSecret = given is null && ofHost is not null ? Environment.GetEnvironmentVariable("IDENTITY_HEADER") : null,
        };
    }
}
