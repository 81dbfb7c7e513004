using System.Text.Json;
using Jackdaw.Server.Endpoints.Operations;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>How far a patch or a deletion by query is.</summary>
/// <param name="Query">Its text.</param>
/// <param name="Total">Documents that the query found when it began.</param>
/// <param name="DocumentsProcessed">Of those, how many are done with.</param>
internal sealed record QueryProgress(string Query, long Total, long DocumentsProcessed) : OperationProgress(DocumentsProcessed)
{
    /// <summary>Characters of a query's text that are remembered: thousands of operations are.</summary>
    public const int MaxQueryLength = 4096;

    /// <summary>Gets the query's text, or its beginning.</summary>
    public string Query { get; } = Query.Length <= MaxQueryLength ? Query : Query[..MaxQueryLength] + "…";

    public override void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteNumber("Total"u8, Total);
        json.WriteNumber("Processed", DocumentsProcessed);
        json.WriteEndObject();
    }

    public override void WriteResult(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("$type", "Raven.Client.Documents.Operations.BulkOperationResult, Raven.Client");
        json.WriteNumber("Total"u8, DocumentsProcessed);
        json.WriteNumber("DocumentsProcessed", DocumentsProcessed);
        json.WriteString("Query"u8, Query);
        json.WriteStartArray("Details");
        json.WriteEndArray();
        json.WriteEndObject();
    }
}
