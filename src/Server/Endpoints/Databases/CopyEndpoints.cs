using System.Text.Json;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Databases;

/// <summary>
/// Online copies. The answer is one JSON object a line, about one a second while the copy grows:
/// <c>{"Status":"InProgress","CopiedBytes":…,"TotalBytes":…}</c>, and at last
/// <c>Completed</c> (with <c>Transaction</c> and <c>Folder</c>) or <c>Faulted</c> (with <c>Type</c> and <c>Message</c>). An
/// answer without that last line was cut off: there is
/// no copy then. Whoever hangs up ends the copy.
/// </summary>
internal static class CopyEndpoints
{
    private const string LinesContentType = "application/x-ndjson";

    private static readonly TimeSpan BetweenLines = TimeSpan.FromSeconds(1);

    public static void Map(Router router) => router.Database("POST", "/admin/copy", RequiredRight.Operator, Post);

    private static async Task Post(RequestContext request)
    {
        request.Database();
        var server = request.Server;
        var folder = CopyTarget.Require(request.Query.Required("to"), server.Configuration.CopyFolder, !server.Gate.IsUnsecured);
        var (copied, total) = (0L, 0L);
        var copying = request.Server.Databases.CopyAsync(
            request.DatabaseName,
            folder,
            (now, all) =>
            {
                Volatile.Write(ref copied, now);
                Volatile.Write(ref total, all);
            },
            request.Aborted
        );
        try
        {
            while (await Task.WhenAny(copying, Task.Delay(BetweenLines, request.Aborted)) != copying)
                await SendLineAsync(request, json => WriteState(json, "InProgress", Volatile.Read(ref copied), Volatile.Read(ref total)));
        }
        catch (Exception e) when (e is OperationCanceledException or IOException)
        {
            // The client went away; the copy sees it at its next megabyte, and takes away what there is of it.
            await copying;
            throw;
        }
        await SendEndAsync(request, copying, folder, copied, total);
    }

    /// <summary>Until a line has gone out, a failure is an ordinary answer.</summary>
    private static async Task SendEndAsync(RequestContext request, Task<long> copying, string folder, long copied, long total)
    {
        try
        {
            var transaction = await copying;
            await SendLineAsync(
                request,
                json =>
                {
                    WriteState(json, "Completed", copied, total);
                    json.WriteNumber("Transaction", transaction);
                    json.WriteString("Folder", folder);
                }
            );
        }
        catch (Exception failure) when (request.Http.Response.HasStarted && failure is not OperationCanceledException)
        {
            var answer = ErrorTranslation.Translate(failure);
            await SendLineAsync(
                request,
                json =>
                {
                    WriteState(json, "Faulted", copied, total);
                    json.WriteString("Type", answer.Type);
                    json.WriteString("Message", answer.Message);
                }
            );
        }
        await request.EndPiecesAsync(LinesContentType);
    }

    private static void WriteState(Utf8JsonWriter json, string status, long copied, long total)
    {
        json.WriteString("Status", status);
        json.WriteNumber("CopiedBytes", copied);
        json.WriteNumber("TotalBytes", total);
    }

    private static async Task SendLineAsync(RequestContext request, Action<Utf8JsonWriter> write)
    {
        var json = request.Json();
        json.WriteStartObject();
        write(json);
        json.WriteEndObject();
        json.Flush();
        request.Response.Write("\n"u8);
        await request.FlushPieceAsync(LinesContentType);
    }
}
