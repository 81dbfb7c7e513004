using System.Globalization;
using System.Text.Json;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Certificates;

namespace Jackdaw.Server.Endpoints.Certificates;

/// <summary>Certificates as the protocol shows them.</summary>
internal static class CertificateJson
{
    /// <summary>Writes an object.</summary>
    /// <param name="json">Where to.</param>
    /// <param name="certificate">What.</param>
    /// <param name="bytes">The certificate itself; null to leave it out.</param>
    public static void Write(Utf8JsonWriter json, StoredCertificate certificate, byte[]? bytes)
    {
        json.WriteStartObject();
        WriteAccess(json, certificate.Access);
        json.WriteString("NotBefore", Time(certificate.Facts.NotBefore));
        json.WriteString("NotAfter", Time(certificate.Facts.NotAfter));
        json.WriteString("Sha256Thumbprint", certificate.Facts.Hash.ToString());
        json.WriteBase64String("PublicKeyPinningHash", certificate.Facts.Pin.ToBytes());
        json.WriteStartArray("CollectionSecondaryKeys");
        json.WriteEndArray();
        json.WriteString("CollectionPrimaryKey", "");
        if (bytes is not null)
            json.WriteBase64String("Certificate", bytes);
        json.WriteEndObject();
    }

    /// <summary>Writes the members that say who somebody is and what it may do.</summary>
    public static void WriteAccess(Utf8JsonWriter json, Access access)
    {
        json.WriteString("Name", access.Name);
        json.WriteString("SecurityClearance", access.Clearance.ToString());
        json.WriteString("Thumbprint", access.Thumbprint);
        json.WriteStartObject("Permissions");
        foreach (var (database, right) in access.Databases.OrderBy(one => one.Key, StringComparer.OrdinalIgnoreCase))
            json.WriteString(database, right.ToString());
        json.WriteEndObject();
    }

    public static string Time(DateTime utc) => utc.ToString("yyyy-MM-dd'T'HH:mm:ss.fffffff'Z'", CultureInfo.InvariantCulture);
}
