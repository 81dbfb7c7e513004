using System.Net;
using Azure;
using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;
using Jackdaw.Functions.Handlers.Messages;

namespace Jackdaw.Functions.CustomHandler.Blobs;

/// <summary>Fetches claim checks from the one account of the settings. A message that names another address is a fault of the message:
/// whoever may write to a queue must not lead this process, and its identity, anywhere else.</summary>
internal sealed class BlobClaimChecks(BlobAccount account) : IClaimChecks
{
    /// <summary>Of the process.</summary>
    private static readonly SemaphoreSlim s_places = new(AppLimits.MaxClaimChecksAtOnce);

    /// <inheritdoc/>
    public async Task<ReadOnlyMemory<byte>> FetchAsync(Uri dataRef, CancellationToken cancel)
    {
        ArgumentNullException.ThrowIfNull(dataRef);
        var blob = Blob(dataRef);
        await s_places.WaitAsync(cancel);
        try
        {
            return await DownloadAsync(blob, dataRef, cancel);
        }
        catch (RequestFailedException e) when (e.Status == (int)HttpStatusCode.NotFound && IsGone(e))
        {
            throw new MessageFaultException($"The claim check {dataRef} is gone ({e.ErrorCode}).", e);
        }
        catch (RequestFailedException e)
        {
            // The first line: those behind it are headers.
            throw new IOException($"the storage account answered {e.Status} {e.ErrorCode}: {e.Message.Split('\r', '\n')[0]}", e);
        }
        finally
        {
            s_places.Release();
        }
    }

    /// <summary>The blob of an address of this account: <c>ACCOUNT/CONTAINER/BLOB</c> without a query.</summary>
    private BlobClient Blob(Uri address)
    {
        var root = account.Service.Uri;
        var folder = root.AbsolutePath.EndsWith('/') ? root.AbsolutePath : root.AbsolutePath + "/";
        if (
            address.GetLeftPart(UriPartial.Authority) != root.GetLeftPart(UriPartial.Authority)
            || !address.AbsolutePath.StartsWith(folder, StringComparison.Ordinal)
        )
            throw new MessageFaultException(
                $"Its data is at {address.GetLeftPart(UriPartial.Path)}; this function app fetches claim checks from "
                    + $"{root.GetLeftPart(UriPartial.Path)} only (setting ClaimChecks)."
            );
        if (address.Query.Length > 0 || address.Fragment.Length > 0)
            throw new MessageFaultException(
                $"The claim check {address.GetLeftPart(UriPartial.Path)} has a query; a plain address is expected."
            );
        return address.AbsolutePath[folder.Length..].Split('/', 2) is [{ Length: > 0 } container, { Length: > 0 } name]
            ? account.Service.GetBlobContainerClient(container).GetBlobClient(Uri.UnescapeDataString(name))
            : throw new MessageFaultException($"The claim check {address} names no blob in a container.");
    }

    private static async Task<ReadOnlyMemory<byte>> DownloadAsync(BlobClient blob, Uri address, CancellationToken cancel)
    {
        using var answer = (await blob.DownloadStreamingAsync(cancellationToken: cancel)).Value;
        var bytes = answer.Details.ContentLength;
        if (bytes > AppLimits.MaxClaimCheckBytes)
            throw new MessageFaultException(
                $"The claim check {address} has {bytes:N0} bytes; the limit is {AppLimits.MaxClaimCheckBytes:N0}."
            );
        using var content = new MemoryStream((int)bytes);
        await answer.Content.CopyToAsync(content, cancel);
        if (content.Length != bytes)
            throw new IOException($"{content.Length:N0} of {bytes:N0} bytes came.");
        return content.GetBuffer().AsMemory(0, (int)content.Length);
    }

    /// <summary>An account that is not there answers 404, too, and that is no message's fault.</summary>
    private static bool IsGone(RequestFailedException e) =>
        e.ErrorCode is not null && (e.ErrorCode == BlobErrorCode.BlobNotFound || e.ErrorCode == BlobErrorCode.ContainerNotFound);
}
