using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;
using Jackdaw.EndToEnd.Transports;
using Jackdaw.FunctionHost;

namespace Jackdaw.EndToEnd;

/// <summary>Documents that are too large for a queue's message, from the official client to the read model.</summary>
[Trait("Category", "Slow")]
public sealed class ClaimCheckTests
{
    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_large_document_arrives_by_a_claim_check_and_one_whose_blob_is_gone_is_one_dead_letter_until_it_is_sent_again()
    {
        string[] orders = ["orders/large", "orders/gone"];
        await using var scene = await CloudScene.OpenAsync(
            azurite => Task.FromResult<Transport>(new AzureTransport(azurite)),
            isSecured: true,
            fails: _ => false,
            new HostOptions { Lease = TimeSpan.FromSeconds(5) }
        );
        await NodeScript.RunAsync("large-orders.mjs", scene.Shop.Url, Eventually.Patience, scene.Shop.ClientEnvironment, orders);
        await scene.Shop.Wire.UntilSentAsync("shop");
        Assert.Equal(2, await scene.Transport.BacklogAsync());
        var container = new BlobContainerClient(scene.Azurite.ConnectionString, AzureTransport.ClaimChecks);
        var (gone, content) = await TakeAsync(container, "orders/gone");

        await scene.StartHostAsync();
        Assert.Null(await scene.SettleAsync(["orders/large"], [], deadLetters: 1));
        Assert.Null(await scene.Shop.Wire.DocumentAsync("views", "summaries/orders/gone"));
        var letter = Assert.Single(await scene.DeadLettersAsync());
        Assert.Contains($"{container.Uri}/{gone} is gone (BlobNotFound)", letter, StringComparison.Ordinal);
        Assert.Contains("\"function\":\"OrdersFromQueue\"", letter, StringComparison.Ordinal);

        await container.UploadBlobAsync(gone, content);
        await scene.RedriveAsync();
        Assert.Null(await scene.SettleAsync(orders, []));
    }

    /// <summary>Deletes the claim check of an order. There are two, and each tells whose it is.</summary>
    private static async Task<(string Name, BinaryData Content)> TakeAsync(BlobContainerClient container, string order)
    {
        var found = new List<(string Name, BinaryData Content)>();
        await foreach (var blob in container.GetBlobsAsync())
        {
            BlobDownloadResult download = await container.GetBlobClient(blob.Name).DownloadContentAsync();
            Assert.True(download.Content.ToMemory().Length > 49_152, "The data would have fitted into a message.");
            found.Add((blob.Name, download.Content));
        }
        Assert.Equal(2, found.Count);
        var one = found.Single(blob => blob.Content.ToString().Contains($"\"{order}\"", StringComparison.Ordinal));
        await container.DeleteBlobAsync(one.Name);
        return one;
    }
}
