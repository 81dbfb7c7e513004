using System.Security.Cryptography;
using Azure;
using Azure.Storage.Blobs.Models;
using Jackdaw.Functions.CustomHandler.DeadLetters;

namespace Jackdaw.Functions.CustomHandler.Blobs;

/// <summary>Keeps large dead letters as blobs, beside the claim checks. A lifecycle rule of the account deletes them.</summary>
/// <param name="account">Where; null: nowhere, and such messages wait.</param>
internal sealed class BlobOversizeLetters(BlobAccount? account) : IOversizeLetters
{
    /// <inheritdoc/>
    public async Task<OversizeLetter> KeepAsync(ReadOnlyMemory<byte> body, CancellationToken cancel)
    {
        if (account is null)
            throw new IOException(
                $"A dead letter of {body.Length:N0} bytes is too large for a queue, and there is no account for its blob: set ClaimChecks."
            );
        var container = account.DeadLetters;
        var name = Convert.ToHexStringLower(SHA256.HashData(body.Span));
        try
        {
            try
            {
                await UploadAsync();
            }
            catch (RequestFailedException e) when (e.ErrorCode == BlobErrorCode.ContainerNotFound)
            {
                await container.CreateIfNotExistsAsync(PublicAccessType.None, cancellationToken: cancel);
                await UploadAsync();
            }
        }
        catch (RequestFailedException e)
        {
            throw new IOException(
                $"A dead letter of {body.Length:N0} bytes cannot be kept in the container '{container.Name}': {e.Status} {e.ErrorCode}.",
                e
            );
        }
        return new OversizeLetter(container.Name, name);

        Task UploadAsync() => container.GetBlobClient(name).UploadAsync(new BinaryData(body), overwrite: true, cancel);
    }
}
