using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;
using Azure;
using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;

namespace Jackdaw.Server.Hosting.Queues;

/// <summary>What is sent of a message, and where.</summary>
/// <param name="Queue">The queue's name.</param>
/// <param name="Text">The text of the new message.</param>
internal sealed record Redelivery(string Queue, string Text)
{
    /// <summary>The end of the names that the Functions host gives to poison queues.</summary>
    public const string PoisonSuffix = "-poison";

    /// <summary>Makes it of a message's text.</summary>
    /// <param name="source">The queue that the message is in.</param>
    /// <param name="messageText">The message as it is.</param>
    /// <param name="to">Where it is to go; null: where it belongs.</param>
    /// <param name="blobs">Where large dead letters are.</param>
    /// <param name="cancel">Gives up.</param>
    /// <exception cref="RefusedException">The message is no dead letter, or cannot be sent through a queue: it stays.</exception>
    public static async Task<Redelivery> OfAsync(
        string source,
        string messageText,
        string? to,
        BlobServiceClient blobs,
        CancellationToken cancel
    )
    {
        if (source.EndsWith(PoisonSuffix, StringComparison.Ordinal))
            return new Redelivery(to ?? source[..^PoisonSuffix.Length], messageText);
        var letter =
            DeadLetterMessage.Read(messageText)
            ?? throw new RefusedException($"it is no dead letter of the functions, and '{source}' is no poison queue");
        var body = letter.Body ?? await DownloadAsync(blobs, letter, cancel);
        if (body.Length > QueueLimits.MaxMessageBytes)
            body = await WithClaimCheckAsync(blobs, letter, body, cancel);
        return new Redelivery(to ?? letter.Queue, Convert.ToBase64String(body));
    }

    /// <summary>The bytes of a large dead letter.</summary>
    /// <exception cref="RefusedException">The blob is gone.</exception>
    public static async Task<byte[]> DownloadAsync(BlobServiceClient blobs, DeadLetterMessage letter, CancellationToken cancel)
    {
        var blob = blobs.GetBlobContainerClient(letter.Container).GetBlobClient(letter.Blob);
        try
        {
            using var answer = (await blob.DownloadStreamingAsync(cancellationToken: cancel)).Value;
            if (answer.Details.ContentLength > QueueLimits.MaxBlobBytes)
                throw new RefusedException(
                    $"its blob has {answer.Details.ContentLength:N0} bytes; the limit is {QueueLimits.MaxBlobBytes:N0}"
                );
            using var content = new MemoryStream();
            await answer.Content.CopyToAsync(content, cancel);
            return content.ToArray();
        }
        catch (RequestFailedException e) when (e.Status == 404)
        {
            throw new RefusedException($"its blob '{letter.Container}/{letter.Blob}' is gone", e);
        }
    }

    /// <summary>A CloudEvent that is too large for a queue, with its data in a blob: as a task would send it that has a container for claim
    /// checks.</summary>
    private static async Task<byte[]> WithClaimCheckAsync(
        BlobServiceClient blobs,
        DeadLetterMessage letter,
        byte[] body,
        CancellationToken cancel
    )
    {
        if (letter.Container is null || Parse(body) is not { } message || message["data"] is not { } data)
            throw new RefusedException(
                $"its {body.Length:N0} bytes are no CloudEvent with data, and a queue takes {QueueLimits.MaxMessageBytes:N0}"
            );
        var bytes = Encoding.UTF8.GetBytes(data.ToJsonString());
        var blob = blobs.GetBlobContainerClient(letter.Container).GetBlobClient(Convert.ToHexStringLower(SHA256.HashData(bytes)) + ".json");
        var options = new BlobUploadOptions { HttpHeaders = new BlobHttpHeaders { ContentType = "application/json" } };
        await blob.UploadAsync(new BinaryData(bytes), options, cancel);
        message.Remove("data");
        message["dataref"] = blob.Uri.GetLeftPart(UriPartial.Path);
        var rest = Encoding.UTF8.GetBytes(message.ToJsonString());
        return rest.Length <= QueueLimits.MaxMessageBytes
            ? rest
            : throw new RefusedException(
                $"without its data it still has {rest.Length:N0} bytes, and a queue takes {QueueLimits.MaxMessageBytes:N0}"
            );
    }

    private static JsonObject? Parse(byte[] body)
    {
        try
        {
            return JsonNode.Parse(body, documentOptions: new System.Text.Json.JsonDocumentOptions { MaxDepth = 512 }) as JsonObject;
        }
        catch (System.Text.Json.JsonException)
        {
            return null;
        }
    }
}
