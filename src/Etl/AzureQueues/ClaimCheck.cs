using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Azure;
using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;
using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.AzureQueues;

/// <summary>
/// Data that is too large for a message, as a blob that the message names. The blob is written first; a retry writes the same one
/// again. Nobody deletes it here:
/// a message may be received more than once, and its age is for a lifecycle rule of the account.
/// </summary>
internal sealed class ClaimCheck(BlobContainerClient container)
{
    /// <summary>Bytes a second that an upload has at least before it is given up.</summary>
    private const int LeastBytesPerSecond = 1 << 20;

    /// <summary>What an upload may take longer than a request without a body.</summary>
    public static TimeSpan Extra(OutboundMessage message) => TimeSpan.FromSeconds(message.Data.Length / LeastBytesPerSecond);

    /// <summary>
    /// Of source, id, etag and number: the same at every attempt, and of no other message, even where a script gives one id to
    /// all versions of a document.
    /// </summary>
    public static string BlobName(OutboundMessage message)
    {
        string text = string.Create(
            CultureInfo.InvariantCulture,
            $"{message.Event.Source}\n{message.Event.Id}\n{message.Origin.Etag}\n{message.Number}"
        );
        return Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text))) + ".json";
    }

    /// <summary>Is the container there? Errors as <see cref="WriteAsync"/>.</summary>
    public async Task<bool> ExistsAsync(CancellationToken cancellation) =>
        (await container.ExistsAsync(cancellation).ConfigureAwait(false)).Value;

    /// <summary>Writes the blob and returns its address, which lets nobody in by itself. One request.</summary>
    /// <exception cref="RequestFailedException">As the client library.</exception>
    public async Task<string> WriteAsync(OutboundMessage message, CancellationToken cancellation)
    {
        var blob = container.GetBlobClient(BlobName(message));
        var options = new BlobUploadOptions { HttpHeaders = new BlobHttpHeaders { ContentType = CloudEvent.JsonContentType } };
        await blob.UploadAsync(new BinaryData(message.Data), options, cancellation).ConfigureAwait(false);
        // A shared access signature, where there is one, stands in the query.
        return blob.Uri.GetLeftPart(UriPartial.Path);
    }

    /// <summary>Creates the container, closed to the public, unless it is there. Errors as <see cref="WriteAsync"/>.</summary>
    public async Task CreateAsync(CancellationToken cancellation) =>
        await container.CreateIfNotExistsAsync(PublicAccessType.None, cancellationToken: cancellation).ConfigureAwait(false);
}
