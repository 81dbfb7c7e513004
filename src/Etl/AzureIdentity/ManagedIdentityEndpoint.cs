using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.AzureIdentity;

/// <summary>Where a managed identity's tokens are to be had, and the header that says that the request does not come through a
/// proxy from elsewhere.</summary>
internal sealed record ManagedIdentityEndpoint(Uri Address, string ApiVersion, string HeaderName, string HeaderValue)
{
    private const string AddressVariable = "IDENTITY_ENDPOINT";
    private const string HeaderVariable = "IDENTITY_HEADER";

    /// <summary>The instance metadata service of a virtual machine, or of a node of Kubernetes.</summary>
    public static ManagedIdentityEndpoint Machine(Uri? address = null) =>
        new(address ?? new Uri("http://169.254.169.254/metadata/identity/oauth2/token"), "2018-02-01", "Metadata", "true");

    /// <summary>App Service, Functions and Container Apps hand an address and a secret to each process.</summary>
    public static ManagedIdentityEndpoint AppService(Uri address, string header) => new(address, "2019-08-01", "X-IDENTITY-HEADER", header);

    /// <summary>As the environment says. Throws <see cref="InvalidConfigurationException"/>.</summary>
    /// <param name="variable">Reads an environment variable.</param>
    public static ManagedIdentityEndpoint Find(Func<string, string?> variable)
    {
        string? address = variable(AddressVariable);
        string? header = variable(HeaderVariable);
        if (string.IsNullOrEmpty(address) || string.IsNullOrEmpty(header))
            return Machine();
        return Uri.TryCreate(address, UriKind.Absolute, out var found) && found.Scheme is "http" or "https"
            ? AppService(found, header)
            : throw new InvalidConfigurationException(
                $"The environment variable '{AddressVariable}' must be an absolute http address, not '{address}'."
            );
    }

    /// <summary>Without the header's value.</summary>
    public override string ToString() => Address.GetLeftPart(UriPartial.Path);
}
