using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Scripting;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Batches;

/// <summary>
/// The body of <c>/bulk_docs</c>:
/// <c>{"Commands":[{"Id":…,"Type":"PUT","ChangeVector":null,"Document":{…}},…],"TransactionMode":…}</c>, read once, front to
/// back.
/// Properties come in any order.
/// </summary>
internal static class BatchBody
{
    /// <summary>What surrounds a document: the body's object, the array, the command.</summary>
    public const int OuterDepth = 3;

    private static readonly JsonReaderOptions Options = new() { MaxDepth = Limits.MaxJsonDepth + OuterDepth };

    /// <summary>Adds the body's commands to <paramref name="batch"/>, which then refers to <paramref name="body"/>.</summary>
    /// <exception cref="BadRequestException">The body is not of this form.</exception>
    /// <exception cref="FeatureNotSupportedException">A command, or the transaction mode, is one that this version cannot do.</exception>
    /// <exception cref="OperationException">An id, document or change vector breaks its rules.</exception>
    public static void Parse(ReadOnlyMemory<byte> body, BatchOperation batch, Limits limits, ScriptEngine scripts)
    {
        JsonBody.RequireBody(body.Span);
        var reader = new Utf8JsonReader(body.Span, Options);
        if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            throw new BadRequestException("A batch must be an object with Commands.");
        var seen = false;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            if (reader.ValueTextEquals("Commands"u8))
            {
                reader.Read();
                ParseCommands(ref reader, body, batch, limits, scripts);
                seen = true;
            }
            else if (reader.ValueTextEquals("TransactionMode"u8))
            {
                reader.Read();
                RequireSingleNode(ref reader);
            }
            else
            {
                reader.Read();
                reader.Skip();
            }
        }
        if (reader.Read() || !seen)
            throw new BadRequestException(seen ? "Something follows the end of the batch." : "The batch has no Commands.");
    }

    private static void RequireSingleNode(ref Utf8JsonReader reader)
    {
        if (reader.TokenType == JsonTokenType.Null || (reader.TokenType == JsonTokenType.String && reader.ValueTextEquals("SingleNode"u8)))
            return;
        if (reader.TokenType == JsonTokenType.String && reader.ValueTextEquals("ClusterWide"u8))
            throw new FeatureNotSupportedException("A cluster-wide transaction");
        throw new BadRequestException("The TransactionMode of a batch must be SingleNode, ClusterWide or null.");
    }

    private static void ParseCommands(
        ref Utf8JsonReader reader,
        ReadOnlyMemory<byte> body,
        BatchOperation batch,
        Limits limits,
        ScriptEngine scripts
    )
    {
        if (reader.TokenType != JsonTokenType.StartArray)
            throw new BadRequestException("Commands must be an array.");
        long bytes = 0;
        while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
        {
            var command = CommandText.Read(ref reader, batch, body, limits);
            command.Complete(batch, body, limits, scripts);
            bytes += batch.Commands[^1].MemoryBytes;
            RequireRoom(batch.Commands.Count, bytes, limits);
        }
    }

    /// <summary>Refuses a batch whose commands take more memory than a batch may.</summary>
    /// <param name="commands">How many there are so far, for the message.</param>
    /// <param name="bytes">What they take beside the request's body.</param>
    /// <param name="limits">The database's.</param>
    /// <exception cref="TooLargeException">They take too much.</exception>
    public static void RequireRoom(int commands, long bytes, Limits limits)
    {
        if (bytes > limits.MaxBatchBytes)
            throw new TooLargeException(
                $"The memory for the first {commands:N0} commands of the batch (bytes)",
                bytes,
                limits.MaxBatchBytes,
                "Limits.MaxBatchSizeInMb"
            );
    }
}
