using System.Globalization;
using System.Text.Json;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Certificates;

namespace Jackdaw.Server.Endpoints.Certificates;

/// <summary>The body of a request that makes, uploads or edits a certificate. Names of members are compared without case, because
/// clients of some languages write them in theirs.</summary>
internal sealed class CertificateBody
{
    private CertificateBody() { }

    public string? Name { get; private set; }

    public string? Thumbprint { get; private set; }

    /// <summary>As it came: base64 or PEM.</summary>
    public string? Certificate { get; private set; }

    /// <summary>Of the PFX file that is made or uploaded.</summary>
    public string? Password { get; private set; }

    public Clearance? Clearance { get; private set; }

    public IReadOnlyDictionary<string, DatabaseRight>? Rights { get; private set; }

    /// <summary>Of an edit: rights that are given, or taken away. The protocol's own edit has all rights, and so undoes what somebody else
    /// has changed meanwhile.</summary>
    public IReadOnlyDictionary<string, DatabaseRight?>? RightChanges { get; private set; }

    /// <summary>The members as an edit.</summary>
    public CertificateEdit Edit =>
        new()
        {
            Name = Name,
            Clearance = Clearance,
            Rights = Rights,
            RightChanges = RightChanges,
        };

    /// <summary>When a certificate that is made is to expire.</summary>
    public DateTimeOffset? NotAfter { get; private set; }

    /// <exception cref="BadRequestException">A member has a value that is not known.</exception>
    public static CertificateBody Parse(ReadOnlyMemory<byte> utf8)
    {
        using var json = JsonBody.Parse(utf8);
        if (json.RootElement.ValueKind != JsonValueKind.Object)
            throw new BadRequestException("The body must be a JSON object.");
        var body = new CertificateBody();
        foreach (var member in json.RootElement.EnumerateObject())
            if (member.Value.ValueKind != JsonValueKind.Null)
                body.Take(member.Name, member.Value);
        return body.Rights is null || body.RightChanges is null
            ? body
            : throw new BadRequestException("The body has Permissions and PermissionChanges: send all rights, or those that change.");
    }

    /// <summary>What is to be stored.</summary>
    /// <param name="certificate">DER; empty for an edit.</param>
    /// <exception cref="BadRequestException">Name or clearance is missing.</exception>
    public NewCertificate New(ReadOnlyMemory<byte> certificate = default) =>
        RightChanges is null
            ? new(
                Name ?? throw Missing("Name"),
                Clearance ?? throw Missing("SecurityClearance"),
                Rights ?? new Dictionary<string, DatabaseRight>(),
                certificate
            )
            : throw new BadRequestException("PermissionChanges are for the edit of a stored certificate; a new one has Permissions.");

    public static BadRequestException Missing(string member) => new($"The body has no {member}.");

    private void Take(string name, JsonElement value)
    {
        switch (name.ToUpperInvariant())
        {
            case "NAME":
                Name = Text(name, value);
                break;
            case "THUMBPRINT":
                Thumbprint = Text(name, value);
                break;
            case "CERTIFICATE":
                Certificate = Text(name, value);
                break;
            case "PASSWORD":
                Password = Text(name, value);
                break;
            case "SECURITYCLEARANCE":
                Clearance = ReadClearance(Text(name, value));
                break;
            case "PERMISSIONS":
                Rights = ReadRights(value, "Permissions", ReadRight);
                break;
            case "PERMISSIONCHANGES":
                RightChanges = ReadRights(value, "PermissionChanges", ReadRightOrNone);
                break;
            case "NOTAFTER":
                NotAfter = ReadTime(name, value);
                break;
            case "TWOFACTORAUTHENTICATIONKEY":
                throw new FeatureNotSupportedException("Two-factor authentication of certificates is not supported by this server.");
        }
    }

    /// <exception cref="BadRequestException">It is none that a client's certificate can have.</exception>
    public static Clearance ReadClearance(string text)
    {
        if (Enum.TryParse<Clearance>(text, ignoreCase: true, out var clearance) && Enum.IsDefined(clearance) && !char.IsAsciiDigit(text[0]))
            return clearance;
        throw new BadRequestException(
            text.ToUpperInvariant() switch
            {
                "UNAUTHENTICATEDCLIENTS" =>
                    "The clearance UnauthenticatedClients is not for a certificate: this server answers nobody without one.",
                "CLUSTERNODE" => "The clearance ClusterNode is for other nodes of a cluster, and this server is a single node. "
                    + "Use ClusterAdmin, Operator or ValidUser.",
                _ => $"The SecurityClearance must be ValidUser, Operator or ClusterAdmin, not '{text}'.",
            }
        );
    }

    /// <exception cref="BadRequestException">It is no right.</exception>
    public static DatabaseRight ReadRight(string database, string text) =>
        Enum.TryParse<DatabaseRight>(text, ignoreCase: true, out var right) && Enum.IsDefined(right) && !char.IsAsciiDigit(text[0])
            ? right
            : throw new BadRequestException($"The right for the database '{database}' must be Read, ReadWrite or Admin, not '{text}'.");

    private static DatabaseRight? ReadRightOrNone(string database, string text) =>
        text.Equals("None", StringComparison.OrdinalIgnoreCase) ? null : ReadRight(database, text);

    private static Dictionary<string, T> ReadRights<T>(JsonElement value, string name, Func<string, string, T> read)
    {
        if (value.ValueKind != JsonValueKind.Object)
            throw new BadRequestException($"{name} must be an object: a right (Read, ReadWrite or Admin) for each database.");
        var rights = new Dictionary<string, T>(StringComparer.OrdinalIgnoreCase);
        foreach (var member in value.EnumerateObject())
            if (!rights.TryAdd(member.Name, read(member.Name, Text(member.Name, member.Value))))
                throw new BadRequestException($"{name} name the database '{member.Name}' twice.");
        return rights;
    }

    private static DateTimeOffset ReadTime(string name, JsonElement value) =>
        DateTimeOffset.TryParse(
            Text(name, value),
            CultureInfo.InvariantCulture,
            DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal,
            out var time
        )
            ? time
            : throw new BadRequestException($"{name} must be a time such as 2030-01-31T00:00:00Z, not '{value}'.");

    private static string Text(string name, JsonElement value) =>
        value.ValueKind == JsonValueKind.String ? value.GetString()! : throw new BadRequestException($"{name} must be a text.");
}
