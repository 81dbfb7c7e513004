using System.Text.Json;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Patching;
using Jackdaw.Server.Endpoints.Documents;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Patching;

/// <summary>Changing one document by a script.</summary>
internal static class PatchEndpoints
{
    public static void Map(Router router) => router.Database("PATCH", "/docs", RequiredRight.DatabaseReadWrite, Patch);

    private static async Task Patch(RequestContext request)
    {
        var database = request.Database();
        var batch = BatchOperation.Rent();
        var isTest = request.Query.Flag("test");
        var withDebug = isTest || request.Query.Flag("debug");
        try
        {
            var patch = batch.AddPatch();
            patch.Limits = database.Limits;
            patch.SetId(request.Query.Required("id"));
            patch.SetExpectedChangeVector(HeaderValues.ChangeVector(request.Request.Headers.IfMatch));
            patch.SkipOnMismatch = request.Query.Flag("skipPatchIfChangeVectorMismatch");
            patch.ReturnsModified = true;
            patch.ReturnsOriginal = withDebug;
            patch.IsTest = isTest;
            batch.Trace = request.Trace(database);
            using (var body = await RequestBody.ReadAsync(request))
            using (var json = PatchText.Parse(body.Bytes))
            {
                if (json.RootElement.ValueKind != JsonValueKind.Object || !json.RootElement.TryGetProperty("Patch", out var script))
                    throw new BadRequestException("The body of a patch must be an object with a Patch.");
                patch.Patch =
                    PatchText.Compile(request.Server.Scripts, script, database.Limits)
                    ?? throw new BadRequestException("The Patch must be an object with a Script.");
                if (json.RootElement.TryGetProperty("PatchIfMissing", out var otherwise))
                    patch.PatchIfMissing = PatchText.Compile(request.Server.Scripts, otherwise, database.Limits);
            }
            try
            {
                await database.SubmitAsync(batch);
            }
            catch (PatchTestedException) when (isTest)
            {
                // As asked for: the results are there, and nothing else.
            }
            if (patch.Status == PatchStatus.DocumentDoesNotExist)
            {
                await DocumentsById.SendMissing(request);
                return;
            }
            WriteResult(request.Json(), patch, withDebug);
        }
        finally
        {
            batch.Return();
        }
        await request.SendAsync(StatusCodes.Status200OK);
    }

    private static void WriteResult(Utf8JsonWriter json, PatchCommand patch, bool withDebug)
    {
        json.WriteStartObject();
        json.WriteString("Status", patch.Status.ToString());
        WriteDocument(json, "ModifiedDocument", patch.ModifiedDocument);
        WriteDocument(json, "OriginalDocument", patch.OriginalDocument);
        WriteDebug(json, patch.Output, withDebug);
        if (patch.ChangeVector is null)
            json.WriteNull("LastModified");
        else
            json.WriteString("LastModified", ProtocolDate.ToText(patch.LastModifiedTicks, withZ: true));
        json.WriteString("ChangeVector", patch.ChangeVector);
        json.WriteString("Collection", patch.Collection);
        json.WriteEndObject();
        json.Flush();
    }

    public static void WriteDocument(Utf8JsonWriter json, string name, ReadOnlyMemory<byte>? document)
    {
        json.WritePropertyName(name);
        if (document is { } bytes)
            json.WriteRawValue(bytes.Span, skipInputValidation: true);
        else
            json.WriteNullValue();
    }

    /// <summary>What the script put out, when it was asked for or there is some.</summary>
    public static void WriteDebug(Utf8JsonWriter json, IReadOnlyList<string> output, bool isWanted)
    {
        if (!isWanted && output.Count == 0)
        {
            json.WriteNull("Debug");
            return;
        }
        json.WriteStartObject("Debug");
        json.WriteStartArray("Info");
        foreach (var line in output)
            json.WriteStringValue(line);
        json.WriteEndArray();
        json.WriteEndObject();
    }
}
