using System.Globalization;
using Jackdaw.Documents.Commands;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Identities;

/// <summary>Counters of which the server makes ids that end in a consecutive number.</summary>
internal static class IdentitiesEndpoints
{
    public static void Map(Router router) =>
        router.Database("POST", "/identity/next", Next).Database("POST", "/identity/seed", Seed).Database("GET", "/debug/identities", List);

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

    private static Task List(RequestContext request)
    {
        var database = request.Database();
        IReadOnlyList<KeyValuePair<string, long>> identities;
        using (var reader = database.OpenRead("GET /debug/identities"))
            identities = reader.Identities();
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            foreach (var (name, value) in identities)
                json.WriteNumber(name, value);
            json.WriteEndObject();
        });
    }

    private static Task SendNumber(RequestContext request, string name, long value) =>
        request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber(name, value);
            json.WriteEndObject();
        });
}
