using System.Buffers;
using System.Text;
using System.Text.Json;
using Azure;
using Azure.Storage;
using Azure.Storage.Blobs;
using Azure.Storage.Sas;
using Jackdaw.Brokers;
using Jackdaw.Etl.AzureQueues;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests.AzureQueues;

/// <summary>What arrives in real queues.</summary>
[Collection(AzuriteFixture.Collection)]
[Trait("Category", "Slow")]
public class AzureQueueTests(AzuriteFixture azurite)
{
    private readonly AzureReceiver _receiver = new(azurite.Broker);

    private AzureQueueSettings Settings => new() { ConnectionString = azurite.Broker.ConnectionString, Timeout = Eventually.Patience };

    private static Task StartAsync(Scene scene, AzureQueueSettings settings, string script, HttpMessageHandler? handler = null) =>
        scene.StartAsync(Scene.Configuration(Scene.Transform(script)), new AzureQueueSink(settings, scene.Clock, handler));

    private static OutboundMessage Message(string queue, int dataBytes) =>
        new()
        {
            Target = queue,
            Event = new CloudEvent
            {
                Id = "1",
                Source = "s",
                Type = "t",
                Subject = "s",
                Time = "2030-01-01T00:00:00Z",
                PartitionKey = $"{dataBytes}",
                DatabaseId = null,
            },
            Data = Encoding.ASCII.GetBytes($"\"{new string('x', dataBytes - 2)}\""),
            Origin = new ChangeOrigin("orders/1", "Orders", "A:1", 1, IsDeletion: false),
            Number = 1,
        };

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_document_arrives_as_a_structured_CloudEvent_in_Base64_that_never_ends()
    {
        await using var scene = await Scene.OpenAsync();
        string changeVector = await scene.PutAsync("orders/1", """{"name":"Ödön <\"the\"> 2nd\u0001","n":12.50}""");
        // The script's name in capitals is the queue's in small letters.
        await StartAsync(scene, Settings, $"loadTo('{_receiver.Queue.Name.ToUpperInvariant()}', this);");
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Idle, 1), (scene.Task.State, scene.StoredPosition()));
        var message = Assert.Single(await _receiver.TakeMessagesAsync());
        Assert.Equal(9999, message.ExpiresOn!.Value.Year);
        var arrived = JsonDocument.Parse(message.Body.ToMemory()).RootElement;
        Assert.Equal(
            [
                "1.0",
                changeVector,
                "https://shop.example/databases/shop/Orders%20out",
                "ravendb.etl.put",
                "orders/1",
                "orders/1",
                "1",
                scene.Database.IdText,
                "application/json",
                _receiver.Queue.Name.ToUpperInvariant(),
            ],
            new[]
            {
                "specversion",
                "id",
                "source",
                "type",
                "subject",
                "partitionkey",
                "etag",
                "databaseid",
                "datacontenttype",
                "target",
            }.Select(name => arrived.GetProperty(name).GetString())
        );
        Assert.Equal(
            ("Ödön <\"the\"> 2nd\u0001", "12.5"),
            (arrived.GetProperty("data").GetProperty("name").GetString(), arrived.GetProperty("data").GetProperty("n").GetRawText())
        );
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task Messages_live_and_hide_as_long_as_the_connection_says()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await StartAsync(
            scene,
            Settings with
            {
                TimeToLive = TimeSpan.FromMinutes(10),
                VisibilityTimeout = TimeSpan.FromMinutes(5),
            },
            _receiver.Script
        );
        scene.RunToRest();
        Assert.Empty(await _receiver.TakeMessagesAsync());
        Assert.Equal(1, (await _receiver.Queue.GetPropertiesAsync()).Value.ApproximateMessagesCount);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task The_largest_event_that_Azure_takes_is_sent_and_one_byte_more_is_not()
    {
        await _receiver.Queue.CreateAsync();
        var output = new ArrayBufferWriter<byte>();
        CloudEventJson.Write(Message(_receiver.Queue.Name, 10_000), 1, output);
        int largest = AzureQueueSink.MaxEventBytes - (output.WrittenCount - 10_000);
        var delivery = new Delivery([Message(_receiver.Queue.Name, largest), Message(_receiver.Queue.Name, largest + 1)]);
        await using (var sink = new AzureQueueSink(Settings, TimeProvider.System))
            await sink.DeliverAsync(delivery, default);
        var (index, reason) = Assert.Single(delivery.Rejections());
        Assert.Equal(1, index);
        Assert.Contains("64 KiB", reason, StringComparison.Ordinal);
        var arrived = Assert.Single(await _receiver.TakeMessagesAsync());
        Assert.Equal(AzureQueueSink.MaxEventBytes, arrived.Body.ToMemory().Length);
        // Azure is of the same mind.
        var refusal = await Assert.ThrowsAsync<RequestFailedException>(() =>
            _receiver.Queue.SendMessageAsync(new BinaryData(new byte[AzureQueueSink.MaxEventBytes + 1]))
        );
        Assert.Equal(413, refusal.Status);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task Data_over_the_limit_lies_in_a_blob_that_a_retry_overwrites_and_the_message_names()
    {
        string container = $"large-{Guid.NewGuid():N}"[..20];
        await using var scene = await Scene.OpenAsync();
        string changeVector = await scene.PutAsync("orders/1", $$"""{"text":"{{new string('ö', 100_000)}}"}""");
        int failures = 2;
        using var watch = new KeyWatch { Sending = _ => failures-- > 0 ? throw new HttpRequestException("cut") : Task.CompletedTask };
        await StartAsync(scene, Settings with { ClaimCheckContainer = container }, _receiver.Script, watch);
        scene.RunToRest();
        var arrived = Assert.Single(await _receiver.TakeAsync());
        Assert.Equal(
            (changeVector, 3, "application/json"),
            (
                arrived.GetProperty("id").GetString(),
                arrived.GetProperty("attempt").GetInt32(),
                arrived.GetProperty("datacontenttype").GetString()
            )
        );
        Assert.False(arrived.TryGetProperty("data", out _));
        var blobs = new BlobContainerClient(azurite.Broker.ConnectionString, container);
        var blob = Assert.Single((await blobs.GetBlobsAsync().AsPages().SingleAsync()).Values);
        Assert.Equal(blobs.GetBlobClient(blob.Name).Uri.ToString(), arrived.GetProperty("dataref").GetString());
        var content = (await blobs.GetBlobClient(blob.Name).DownloadContentAsync()).Value;
        Assert.Equal("application/json", content.Details.ContentType);
        Assert.Equal(new string('ö', 100_000), JsonDocument.Parse(content.Content.ToMemory()).RootElement.GetProperty("text").GetString());
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_shared_access_signature_lets_a_task_in_and_stands_in_no_message()
    {
        var builder = new AccountSasBuilder(
            AccountSasPermissions.All,
            DateTimeOffset.UtcNow.AddHours(1),
            AccountSasServices.Queues | AccountSasServices.Blobs,
            AccountSasResourceTypes.All
        )
        {
            Protocol = SasProtocol.HttpsAndHttp,
        };
        string signature = builder
            .ToSasQueryParameters(new StorageSharedKeyCredential(azurite.Broker.AccountName, azurite.Broker.AccountKey))
            .ToString();
        string connection =
            $"QueueEndpoint=http://127.0.0.1:{azurite.Broker.QueuePort}/{azurite.Broker.AccountName};"
            + $"BlobEndpoint=http://127.0.0.1:{azurite.Broker.BlobPort}/{azurite.Broker.AccountName};SharedAccessSignature={signature}";
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", $$"""{"text":"{{new string('x', 60_000)}}"}""");
        await StartAsync(
            scene,
            Settings with
            {
                ConnectionString = connection,
                ClaimCheckContainer = $"large-{Guid.NewGuid():N}"[..20],
            },
            _receiver.Script
        );
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Idle, null), (scene.Task.State, scene.Task.Status().Reason));
        string address = Assert.Single(await _receiver.TakeAsync()).GetProperty("dataref").GetString()!;
        Assert.StartsWith($"http://127.0.0.1:{azurite.Broker.BlobPort}/", address, StringComparison.Ordinal);
        Assert.DoesNotContain("sig", address, StringComparison.Ordinal);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task Each_keys_messages_are_sent_in_order_one_at_a_time_and_several_keys_at_once()
    {
        await using var scene = await Scene.OpenAsync();
        for (int i = 0; i < 200; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        using var watch = new KeyWatch();
        await StartAsync(scene, Settings, $"loadTo('{_receiver.Queue.Name}', this, {{ PartitionKey: 'k' + this.n % 9 }});", watch);
        scene.RunToRest();
        Assert.Equal(0, watch.Collisions);
        Assert.InRange(watch.MostAtOnce, 2, 9);
        var arrived = await _receiver.TakeAsync();
        Assert.Equal(200, arrived.Select(one => one.GetProperty("id").GetString()).Distinct().Count());
        Assert.Equal(200, arrived.Count);
        // A queue that was declared on the way has its first messages sent twice, refused the first time.
        Assert.All(watch.Etags.Values, etags => Assert.Equal(etags.Order(), etags));
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_wrong_key_stops_the_task_with_words_and_without_the_key()
    {
        string wrong = Convert.ToBase64String("not the key of this account"u8);
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await StartAsync(
            scene,
            Settings with
            {
                ConnectionString = azurite.Broker.ConnectionString.Replace(azurite.Broker.AccountKey, wrong, StringComparison.Ordinal),
            },
            _receiver.Script
        );
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Stopped, 0), (scene.Task.State, scene.StoredPosition()));
        Assert.Contains("Azure answered 403 (Auth", scene.Task.Status().Reason, StringComparison.Ordinal);
        Assert.Contains("connection string's key", scene.Task.Status().Reason, StringComparison.Ordinal);
        Assert.DoesNotContain(wrong, scene.Task.Status().Reason, StringComparison.Ordinal);
        Assert.Empty(scene.DeadLetters());
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_connection_is_tested_without_sending_or_declaring()
    {
        await using (var sink = new AzureQueueSink(Settings with { ClaimCheckContainer = "never-there" }, TimeProvider.System))
        {
            Assert.Equal(
                $"The queues of the account '{azurite.Broker.AccountName}' are reached. "
                    + "The blob container 'never-there' will be created. Nothing was sent.",
                await sink.TestAsync(default)
            );
            Assert.False(await new BlobContainerClient(azurite.Broker.ConnectionString, "never-there").ExistsAsync());
        }
        // For messages only, not for the account.
        var messages = new AccountSasBuilder(
            AccountSasPermissions.Add,
            DateTimeOffset.UtcNow.AddHours(1),
            AccountSasServices.Queues,
            AccountSasResourceTypes.Object
        )
        {
            Protocol = SasProtocol.HttpsAndHttp,
        };
        string signature = messages
            .ToSasQueryParameters(new StorageSharedKeyCredential(azurite.Broker.AccountName, azurite.Broker.AccountKey))
            .ToString();
        string address = $"http://127.0.0.1:{azurite.Broker.QueuePort}/{azurite.Broker.AccountName}";
        await using (
            var sink = new AzureQueueSink(
                new AzureQueueSettings { ConnectionString = $"QueueEndpoint={address};SharedAccessSignature={signature}" },
                TimeProvider.System
            )
        )
            Assert.Contains("may not list queues", await sink.TestAsync(default), StringComparison.Ordinal);
        string wrong = Convert.ToBase64String("not the key of this account"u8);
        await using (
            var sink = new AzureQueueSink(
                Settings with
                {
                    ConnectionString = azurite.Broker.ConnectionString.Replace(azurite.Broker.AccountKey, wrong, StringComparison.Ordinal),
                },
                TimeProvider.System
            )
        )
            Assert.Equal(SinkFault.Task, (await Assert.ThrowsAsync<SinkException>(() => sink.TestAsync(default))).Fault);
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_queue_that_is_deleted_in_the_middle_is_declared_again()
    {
        await using var scene = await Scene.OpenAsync();
        for (int i = 0; i < 60; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        int begun = 0;
        var isDeleted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var watch = new KeyWatch
        {
            Sending = async _ =>
            {
                int number = Interlocked.Increment(ref begun);
                if (number == 40)
                {
                    await _receiver.Queue.DeleteAsync();
                    isDeleted.SetResult();
                }
                // However long the deletion takes.
                if (number > 40)
                    await isDeleted.Task;
            },
        };
        await StartAsync(scene, Settings, _receiver.Script, watch);
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Idle, 60), (scene.Task.State, scene.StoredPosition()));
        var arrived = (await _receiver.TakeAsync()).Select(one => one.GetProperty("subject").GetString()!).ToHashSet();
        // What was confirmed into the queue that is gone went with it; everything after that is there.
        Assert.InRange(arrived.Count, 15, 45);
        Assert.Contains("orders/59", arrived);
        Assert.Empty(scene.DeadLetters());
    }
}
