using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Jackdaw.Documents.Commands;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Identities;

/// <summary>Counters of which the server makes ids that end in a consecutive number.</summary>
internal static class IdentitiesEndpoints
{
    /// <summary>Read in one transaction.</summary>
    private const int IdentitiesAtOnce = 1024;

    private const int PieceBytes = 1024 * 1024;

    public static void Map(Router router) =>
        router
            .Database("POST", "/identity/next", RequiredRight.DatabaseReadWrite, Next)
            .Database("POST", "/identity/seed", RequiredRight.DatabaseReadWrite, Seed)
            .Database("GET", "/debug/identities", RequiredRight.DatabaseRead, List);

    private static async Task Next(RequestContext request)
    {
        var database = request.Database();
        var name = request.Query.Required("name");
        var value = await request.Server.RepeatedRequests.RunOnceAsync(
            request.Query["raft-request-id"],
            $"next {database.IdText}",
            async () =>
            {
                var operation = new NextIdentityOperation(name);
                await database.SubmitAsync(operation);
                return operation.Value;
            }
        );
        await SendNumber(request, "NewIdentityValue", value);
    }

    private static async Task Seed(RequestContext request)
    {
        var database = request.Database();
        var name = request.Query.Required("name");
        var text = request.Query.Required("value");
        if (!long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var value))
            throw new BadRequestException($"The parameter 'value' must be a whole number, not '{text}'.");
        var force = request.Query.Flag("force");
        var seeded = await request.Server.RepeatedRequests.RunOnceAsync(
            request.Query["raft-request-id"],
            $"seed {database.IdText}",
            async () =>
            {
                var operation = new SeedIdentityOperation(name, value, force);
                await database.SubmitAsync(operation);
                return operation.Value;
            }
        );
        await SendNumber(request, "NewSeedValue", seeded);
    }

    /// <summary>All of them, in pieces, a short read transaction each.</summary>
    private static async Task List(RequestContext request)
    {
        var database = request.Database();
        var after = "";
        var isFirst = true;
        request.Response.Write("{"u8);
        while (true)
        {
            IReadOnlyList<KeyValuePair<string, long>> identities;
            using (var reader = database.OpenRead("GET /debug/identities"))
                identities = reader.Identities(after, IdentitiesAtOnce);
            foreach (var (name, value) in identities)
            {
                request.Response.Write(isFirst ? "\""u8 : ",\""u8);
                isFirst = false;
                request.Response.Write(JsonEncodedText.Encode(name, JavaScriptEncoder.UnsafeRelaxedJsonEscaping).EncodedUtf8Bytes);
                request.Response.Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"\":{value}")));
            }
            if (identities.Count < IdentitiesAtOnce)
                break;
            after = identities[^1].Key;
            await request.GoOnAsync(PieceBytes);
        }
        request.Response.Write("}"u8);
        await request.EndPiecesAsync();
    }

    private static Task SendNumber(RequestContext request, string name, long value) =>
        request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber(name, value);
            json.WriteEndObject();
        });
}
