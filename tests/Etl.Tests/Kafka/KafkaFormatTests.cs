using System.Text;
using System.Text.Json;
using Jackdaw.Brokers;
using Jackdaw.Etl.Kafka;
using Jackdaw.Etl.Messages;
using Xunit;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>What a consumer sees of a message.</summary>
[Collection(KafkaCollection.Name)]
[Trait("Category", "Slow")]
public sealed class KafkaFormatTests(KafkaCollection.SharedBroker broker)
{
    /// <summary>Values that Java's own clients are tested with, so that the oracle itself is right.</summary>
    [Theory]
    [InlineData("21", -973932308)]
    [InlineData("foobar", -790332482)]
    [InlineData("a-little-bit-long-string", -985981536)]
    [InlineData("abc", 479470107)]
    public void The_oracle_hashes_as_Java_does(string key, int hash) => Assert.Equal(hash, (int)Murmur2.Hash(Encoding.UTF8.GetBytes(key)));

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Attributes_are_headers_the_data_is_the_value_and_the_partition_is_that_of_Java()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.CreateTopicAsync(kafka.Topic, 7);
        string changeVector = await kafka.Scene.PutAsync("orders/1", """{"n":1,"k":"Zoë"}""");
        for (int i = 2; i <= 40; i++)
            await kafka.Scene.PutAsync($"orders/{i}", $"{{\"n\":{i},\"k\":\"key {i}\"}}");
        await kafka.RunAsync($$"""loadTo('{{kafka.Topic}}', { n: this.n }, { PartitionKey: this.k, DataSchema: 'urn:s' });""");
        var messages = kafka.Read();
        Assert.Equal(40, messages.Count);
        Assert.All(messages, message => Assert.Equal(Murmur2.Partition(Encoding.UTF8.GetBytes(message.Key!), 7), message.Partition));
        Assert.True(messages.Select(message => message.Partition).Distinct().Count() == 7);
        var first = messages.Single(message => message.Subject == "orders/1");
        Assert.Equal(("Zoë", """{"n":1}"""), (first.Key, first.Value));
        string time = first.Headers["ce_time"];
        Assert.True(DateTimeOffset.TryParse(time, out _));
        Assert.Equal(
            new Dictionary<string, string>
            {
                ["ce_specversion"] = "1.0",
                ["ce_id"] = changeVector,
                ["ce_source"] = "https://shop.example/databases/shop/Orders%20out",
                ["ce_type"] = "ravendb.etl.put",
                ["ce_subject"] = "orders/1",
                ["ce_time"] = time,
                ["ce_partitionkey"] = "Zoë",
                ["ce_etag"] = "1",
                ["ce_databaseid"] = kafka.Scene.Database.IdText,
                ["ce_attempt"] = "1",
                ["ce_dataschema"] = "urn:s",
                ["content-type"] = "application/json",
            }.OrderBy(one => one.Key),
            first.Headers.OrderBy(one => one.Key)
        );
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Structured_events_and_deletions_are_as_the_task_wants_them()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.Scene.PutAsync("orders/1", """{"n":1}""");
        await kafka.RunAsync(task: new KafkaTaskSettings { ContentMode = CloudEventsMode.Structured });
        await kafka.Scene.DeleteAsync("orders/1");
        await kafka.RunAsync(task: new KafkaTaskSettings { ContentMode = CloudEventsMode.Structured, DeletesAsTombstones = true });
        await kafka.Scene.PutAsync("orders/2", """{"n":2}""");
        await kafka.Scene.DeleteAsync("orders/2");
        await kafka.RunAsync();
        var messages = kafka.Read();
        Assert.Equal(3, messages.Count);
        Assert.Equal("application/cloudevents+json; charset=UTF-8", Assert.Single(messages[0].Headers).Value);
        using var whole = JsonDocument.Parse(messages[0].Value!);
        Assert.Equal(1, whole.RootElement.GetProperty("data").GetProperty("n").GetInt32());
        Assert.Equal(kafka.Scene.Database.IdText, whole.RootElement.GetProperty("databaseid").GetString());
        Assert.Equal(("orders/1", null, "ravendb.etl.delete"), (messages[1].Key, messages[1].Value, messages[1].Headers["ce_type"]));
        // Without the option a deletion must not delete in a compacted topic.
        Assert.Equal(("orders/2", "", "ravendb.etl.delete"), (messages[2].Key, messages[2].Value, messages[2].Headers["ce_type"]));
        Assert.DoesNotContain("content-type", messages[2].Headers.Keys);
    }
}
