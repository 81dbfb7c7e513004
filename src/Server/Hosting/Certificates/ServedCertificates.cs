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

    public Task PutAsync(NewCertificate certificate) => server.AskAsync(HttpMethod.Put, Path, Body(certificate));

    public Task EditAsync(string thumbprint, CertificateEdit edit) =>
        server.AskAsync(HttpMethod.Post, $"{Path}/edit", Body(edit, thumbprint));

    public Task DeleteAsync(string thumbprint) =>
        server.AskAsync(HttpMethod.Delete, $"{Path}?thumbprint={Uri.EscapeDataString(thumbprint)}");

    public void Dispose() => server.Dispose();

    private static string Body(NewCertificate certificate) =>
        Body(json =>
        {
            json.WriteString("Name", certificate.Name);
            json.WriteString("SecurityClearance", certificate.Clearance.ToString());
            json.WriteBase64String("Certificate", certificate.Certificate.Span);
            json.WriteStartObject("Permissions");
            foreach (var (database, right) in certificate.Rights)
                json.WriteString(database, right.ToString());
            json.WriteEndObject();
        });

    private static string Body(CertificateEdit edit, string thumbprint) =>
        Body(json =>
        {
            json.WriteString("Thumbprint", thumbprint);
            if (edit.Name is { } name)
                json.WriteString("Name", name);
            if (edit.Clearance is { } clearance)
                json.WriteString("SecurityClearance", clearance.ToString());
            if (edit.RightChanges is not { } changes)
                return;
            json.WriteStartObject("PermissionChanges");
            foreach (var (database, right) in changes)
                json.WriteString(database, right?.ToString() ?? "None");
            json.WriteEndObject();
        });

    private static string Body(Action<Utf8JsonWriter> write)
    {
        using var body = new MemoryStream();
        using (var json = new Utf8JsonWriter(body))
        {
            json.WriteStartObject();
            write(json);
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
