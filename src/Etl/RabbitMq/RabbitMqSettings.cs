using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>Where a RabbitMQ broker is.</summary>
public sealed record RabbitMqSettings
{
    private const string Form = "amqp[s]://user:password@host[:port][/virtual-host]";

    /// <summary>
    /// <c>amqp[s]://user:password@host[:port][/virtual-host]</c>, each part escaped as in every address; without a user
    /// <c>guest</c>, without a virtual host <c>/</c>.
    /// A query is ignored.
    /// </summary>
    public required string ConnectionString { get; init; }

    /// <summary>Of connecting, of each declaration, and of waiting for the next confirmation.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>A file of PEM certificates, one of which must have signed the broker's (with amqps); null: those that the system
    /// trusts.</summary>
    public string? CertificateAuthorityFile { get; init; }

    /// <summary>The certificate that is shown to the broker (with amqps), PEM or PFX; null: none.</summary>
    public string? ClientCertificateFile { get; init; }

    /// <summary>Its private key, PEM; null: it is in <see cref="ClientCertificateFile"/>.</summary>
    public string? ClientCertificateKeyFile { get; init; }

    /// <summary>Of the PFX, or of the private key; null: it is not encrypted.</summary>
    public string? ClientCertificatePassword { get; init; }

    /// <summary>How the client says who it is.</summary>
    public RabbitMqAuthMechanism AuthMechanism { get; init; }

    /// <summary>Of a connection string's object, secrets from the environment and from files filled in. Throws
    /// <see cref="InvalidConfigurationException"/>.</summary>
    internal static RabbitMqSettings Read(JsonMembers members, IMachineSecrets machine) =>
        new()
        {
            ConnectionString = Secrets.Expand(members.RequiredText("ConnectionString"), machine),
            Timeout = members.Seconds("TimeoutInSec", 30),
            CertificateAuthorityFile = Given(members, nameof(CertificateAuthorityFile)),
            ClientCertificateFile = Given(members, nameof(ClientCertificateFile)) is { } shown ? machine.RequireFile(shown) : null,
            ClientCertificateKeyFile = Given(members, nameof(ClientCertificateKeyFile)) is { } key ? machine.RequireFile(key) : null,
            ClientCertificatePassword = Given(members, nameof(ClientCertificatePassword)) is { } password
                ? Secrets.Expand(password, machine)
                : null,
            AuthMechanism = members.Enum(nameof(AuthMechanism), RabbitMqAuthMechanism.Plain),
        };

    /// <summary>Throws <see cref="InvalidConfigurationException"/>, which never shows the connection string: it may hold a
    /// password.</summary>
    public void Validate()
    {
        var address = Address();
        if (Timeout <= TimeSpan.Zero || Timeout > TimeSpan.FromMinutes(10))
            throw new InvalidConfigurationException(
                $"RabbitMQ's TimeoutInSec must be above zero and at most 600, not {Timeout.TotalSeconds}."
            );
        if (ClientCertificateFile is null && (ClientCertificateKeyFile ?? ClientCertificatePassword) is not null)
            throw new InvalidConfigurationException(
                "RabbitMQ's ClientCertificateKeyFile and ClientCertificatePassword are of no use without a ClientCertificateFile."
            );
        if (ClientCertificateFile is not null && !address.IsSecure)
            throw new InvalidConfigurationException(
                "RabbitMQ's ClientCertificateFile is shown over TLS only: the ConnectionString must begin with 'amqps://'."
            );
        if (AuthMechanism == RabbitMqAuthMechanism.External && ClientCertificateFile is null)
            throw new InvalidConfigurationException(
                "RabbitMQ's AuthMechanism 'External' takes the user from a certificate: a ClientCertificateFile is missing."
            );
        if (AuthMechanism == RabbitMqAuthMechanism.External && new Uri(ConnectionString.Trim()).UserInfo.Length > 0)
            throw new InvalidConfigurationException(
                "RabbitMQ's AuthMechanism 'External' takes the user from the certificate: the ConnectionString must name none."
            );
        new RabbitMqTls(this).Dispose();
    }

    /// <summary>Null when there is none; the caller's. Throws <see cref="InvalidConfigurationException"/>.</summary>
    internal X509Certificate2? ClientCertificate() =>
        ClientCertificateFile is { } file
            ? RabbitMqClientCertificate.Load(file, ClientCertificateKeyFile, ClientCertificatePassword)
            : null;

    /// <summary>The connection string taken apart. Throws <see cref="InvalidConfigurationException"/>.</summary>
    internal RabbitMqAddress Address()
    {
        bool isAddress = Uri.TryCreate(ConnectionString.Trim(), UriKind.Absolute, out var url) && url.Scheme is "amqp" or "amqps";
        string path = isAddress ? url!.AbsolutePath.TrimStart('/') : "";
        if (!isAddress || url!.Host.Length == 0 || path.Contains('/', StringComparison.Ordinal) || url.Fragment.Length > 0)
            throw new InvalidConfigurationException($"RabbitMQ's ConnectionString must have the form {Form}.");
        bool isSecure = url.Scheme == "amqps";
        string[] user = url.UserInfo.Split(':', 2);
        return new RabbitMqAddress
        {
            Host = url.DnsSafeHost,
            Port =
                url.Port > 0 ? url.Port
                : isSecure ? 5671
                : 5672,
            IsSecure = isSecure,
            User = user[0].Length > 0 ? Uri.UnescapeDataString(user[0]) : "guest",
            Password = user.Length > 1 ? Uri.UnescapeDataString(user[1]) : "guest",
            VirtualHost = path.Length > 0 ? Uri.UnescapeDataString(path) : "/",
        };
    }

    /// <summary>Null when the system's are to be trusted; the caller's. Throws <see cref="InvalidConfigurationException"/>.</summary>
    internal X509Certificate2Collection? Authorities()
    {
        if (CertificateAuthorityFile is not { } file)
            return null;
        var found = new X509Certificate2Collection();
        try
        {
            found.ImportFromPemFile(file);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException)
        {
            throw new InvalidConfigurationException($"RabbitMQ's CertificateAuthorityFile '{file}' cannot be read: {e.Message}");
        }
        return found.Count > 0
            ? found
            : throw new InvalidConfigurationException($"RabbitMQ's CertificateAuthorityFile '{file}' holds no certificate in PEM form.");
    }

    private static string? Given(JsonMembers members, string name) => members.Text(name) is { Length: > 0 } text ? text : null;

    /// <summary>Without user and password.</summary>
    public override string ToString() => Address().ToString();
}
