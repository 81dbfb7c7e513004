using System.Globalization;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Json;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Identities;

/// <summary>Ranges of ids, of which clients make their own ids without asking for each.</summary>
internal static class HiLoEndpoints
{
    public static void Map(Router router) =>
        router
            .Database("GET", "/hilo/next", RequiredRight.DatabaseReadWrite, Next)
            .Database("PUT", "/hilo/return", RequiredRight.DatabaseReadWrite, Return);

    private static async Task Next(RequestContext request)
    {
        var database = request.Database();
        var query = request.Query;
        var separator = query["identityPartsSeparator"] is { Length: > 0 } given ? given : "/";
        if (separator.Length != 1 || separator[0] == '|' || char.IsControl(separator[0]) || char.IsSurrogate(separator[0]))
            throw new BadRequestException(
                $"identityPartsSeparator must be one character of those that ids may have, and not '|', but is '{separator}'."
            );
        var operation = new NextHiLoOperation(
            query.Required("tag"),
            query.NonNegative("lastBatchSize", 0),
            Date(query["lastRangeAt"]),
            query.NonNegative("lastMax", 0),
            separator[0],
            database.Limits
        );
        await database.SubmitAsync(operation);
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteString("Prefix", operation.Prefix);
            json.WriteNumber("Low", operation.Low);
            json.WriteNumber("High", operation.High);
            json.WriteNumber("LastSize", operation.LastSize);
            json.WriteString("ServerTag", operation.ServerTag);
            json.WriteString("LastRangeAt", ProtocolDate.ToText(operation.LastRangeAt.Ticks, withZ: true));
            json.WriteEndObject();
        });
    }

    private static async Task Return(RequestContext request)
    {
        var database = request.Database();
        var query = request.Query;
        await database.SubmitAsync(
            new ReturnHiLoOperation(query.Required("tag"), query.NonNegative("end", 0), query.NonNegative("last", 0))
        );
        await request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }

    /// <summary>Null for none and for the protocol's empty date (year 1).</summary>
    private static DateTime? Date(string? text)
    {
        if (string.IsNullOrEmpty(text))
            return null;
        if (
            !DateTime.TryParse(
                text,
                CultureInfo.InvariantCulture,
                DateTimeStyles.AdjustToUniversal | DateTimeStyles.AssumeUniversal,
                out var date
            )
        )
            throw new BadRequestException($"lastRangeAt must be a date, not '{text}'.");
        return date.Year <= 1 ? null : date;
    }
}
