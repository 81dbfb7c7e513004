using System.Text.Json;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Tls;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Certificates;

/// <summary>Replacing the server's own certificate.</summary>
internal static class ServerCertificateEndpoints
{
    /// <summary>How long the answer has to reach the client before the former certificate's connections end, its own perhaps among
    /// them.</summary>
    private static readonly TimeSpan s_answering = TimeSpan.FromSeconds(1);

    public static void Map(Router router) =>
        router.Server("POST", "/admin/certificates/replace-cluster-cert", RequiredRight.Administrator, Replace);

    private static async Task Replace(RequestContext request)
    {
        if (request.Server.Certificate is not { } certificate)
            throw new BadRequestException(
                "This server runs without a certificate (Security.Certificate.Path), so there is none to replace."
            );
        using (var body = await RequestBody.ReadAsync(request))
        {
            var (contents, password) = Parse(body.Bytes);
            try
            {
                var announce = certificate.Replace(contents, password);
                request.Http.Response.OnCompleted(async () =>
                {
                    await Task.Delay(s_answering);
                    announce();
                });
            }
            catch (CertificateFileException e)
            {
                throw new BadRequestException(e.Message, e);
            }
        }
        // Without a body: clients of the protocol expect none, and fail on one.
        await request.SendEmptyAsync(StatusCodes.Status200OK);
    }

    /// <summary><c>{"Certificate": PFX in base64, "Password": null}</c>.</summary>
    private static (byte[] Contents, string? Password) Parse(ReadOnlyMemory<byte> utf8)
    {
        using var document = JsonBody.Parse(utf8);
        if (document.RootElement.ValueKind != JsonValueKind.Object)
            throw new BadRequestException("The body must be an object with Certificate.");
        byte[]? contents = null;
        string? password = null;
        foreach (var member in document.RootElement.EnumerateObject())
            if (member.Name.Equals("Certificate", StringComparison.OrdinalIgnoreCase))
                contents =
                    member.Value.ValueKind == JsonValueKind.String && member.Value.TryGetBytesFromBase64(out var bytes)
                        ? bytes
                        : throw new BadRequestException("Certificate must be a PFX file in base64.");
            else if (member.Name.Equals("Password", StringComparison.OrdinalIgnoreCase))
                password = member.Value.ValueKind is JsonValueKind.String or JsonValueKind.Null
                    ? member.Value.GetString()
                    : throw new BadRequestException("Password must be a text.");
        return (contents ?? throw new BadRequestException("The body has no Certificate: a PFX file in base64 is expected."), password);
    }
}
