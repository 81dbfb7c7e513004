using System.Text.Json;
using Jackdaw.Server.Endpoints.Operations;

namespace Jackdaw.Server.Endpoints.BulkInsert;

/// <summary>How far a bulk insert is.</summary>
internal sealed record BulkInsertProgress(long DocumentsProcessed, long BatchCount, string? LastProcessedId)
    : OperationProgress(DocumentsProcessed)
{
    public static readonly BulkInsertProgress None = new(0, 0, null);

    public override void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteNumber("Total"u8, DocumentsProcessed);
        json.WriteNumber("BatchCount"u8, BatchCount);
        json.WriteString("LastProcessedId"u8, LastProcessedId);
        json.WriteNumber("DocumentsProcessed", DocumentsProcessed);
        json.WriteNumber("AttachmentsProcessed", 0);
        json.WriteNumber("CountersProcessed", 0);
        json.WriteNumber("TimeSeriesProcessed", 0);
        json.WriteEndObject();
    }
}
