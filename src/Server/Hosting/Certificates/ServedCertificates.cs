using System.Text;
using System.Text.Json;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Certificates;

namespace Jackdaw.Server.Hosting.Certificates;

/// <summary>The certificates of a running server, by its routes.</summary>
internal sealed class ServedCertificates(ServerClient server) : ICertificateList
{
    private const int PageSize = 1024;
    private const string Path = "/admin/certificates";

    public string Place => $"the server at {server.Url.GetLeftPart(UriPartial.Authority)}";

    public IReadOnlyList<string> WellKnown { get; private set; } = [];

    public async Task<IReadOnlyList<ShownCertificate>> ListAsync()
    {
        var all = new List<ShownCertificate>();
        for (var isMore = true; isMore; )
        {
            var page = await server.AskAsync(HttpMethod.Get, $"{Path}?metadataOnly=true&start={all.Count}&pageSize={PageSize}");
            var found = page!.Value.GetProperty("Results").EnumerateArray().Select(Shown).ToArray();
            all.AddRange(found);
            WellKnown = [.. page.Value.GetProperty("WellKnownAdminCerts").EnumerateArray().Select(entry => entry.GetString()!)];
            isMore = found.Length == PageSize;
        }
        return all;
    }

    public Task PutAsync(NewCertificate certificate) => server.AskAsync(HttpMethod.Put, Path, Body(certificate, thumbprint: null));

    public Task EditAsync(string thumbprint, NewCertificate certificate) =>
        server.AskAsync(HttpMethod.Post, $"{Path}/edit", Body(certificate, thumbprint));

    public Task DeleteAsync(string thumbprint) =>
        server.AskAsync(HttpMethod.Delete, $"{Path}?thumbprint={Uri.EscapeDataString(thumbprint)}");

    public void Dispose() => server.Dispose();

    private static string Body(NewCertificate certificate, string? thumbprint)
    {
        using var body = new MemoryStream();
        using (var json = new Utf8JsonWriter(body))
        {
            json.WriteStartObject();
            json.WriteString("Name", certificate.Name);
            json.WriteString("SecurityClearance", certificate.Clearance.ToString());
            if (thumbprint is null)
                json.WriteBase64String("Certificate", certificate.Certificate.Span);
            else
                json.WriteString("Thumbprint", thumbprint);
            json.WriteStartObject("Permissions");
            foreach (var (database, right) in certificate.Rights)
                json.WriteString(database, right.ToString());
            json.WriteEndObject();
            json.WriteEndObject();
        }
        return Encoding.UTF8.GetString(body.ToArray());
    }

    private static ShownCertificate Shown(JsonElement one)
    {
        string Text(string name) => one.GetProperty(name).GetString()!;
        return new ShownCertificate(
            Text("Name"),
            Enum.Parse<Clearance>(Text("SecurityClearance")),
            Text("Thumbprint"),
            Text("Sha256Thumbprint"),
            Text("PublicKeyPinningHash"),
            one.GetProperty("NotBefore").GetDateTime(),
            one.GetProperty("NotAfter").GetDateTime(),
            one.GetProperty("Permissions").EnumerateObject().ToDictionary(p => p.Name, p => Enum.Parse<DatabaseRight>(p.Value.GetString()!))
        );
    }
}
