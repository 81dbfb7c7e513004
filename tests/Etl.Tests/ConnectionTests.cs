using System.Text;
using Jackdaw.Brokers;
using Jackdaw.Etl.Tests.Kafka;
using Jackdaw.Scripting;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>What is said of a connection before anything depends on it. Kafka has a collection of its own; those of RabbitMQ and
/// Azure are with their sinks.</summary>
public abstract class ConnectionTests
{
    protected static async Task<ConnectionTestResult> TestAsync(string members)
    {
        await using var scene = await Scene.OpenAsync();
        using var engine = new ScriptEngine();
        await using var tasks = EtlTasks.Open(scene.Database, engine, new EtlOptions());
        return await tasks.TestConnectionAsync(
            Encoding.UTF8.GetBytes($$"""{"Type":"Queue","Name":"It",{{members}}}"""),
            CancellationToken.None
        );
    }

    public sealed class OfWebhooks : ConnectionTests
    {
        [Fact]
        public async Task An_endpoint_is_asked_for_its_options_and_gets_nothing_else()
        {
            string? method = null;
            await using var endpoint = new WebhookEndpoint(
                (_, context) =>
                {
                    method = context.Request.HttpMethod;
                    context.Response.StatusCode = 405;
                    return Task.CompletedTask;
                }
            );
            var result = await TestAsync(
                $$"""
                "BrokerType":"None","WebhookConnectionSettings":{"Url":"{{endpoint.Url}}"}
                """
            );
            Assert.True(result.Success, result.Message);
            Assert.Contains("answers 405 to OPTIONS", result.Message, StringComparison.Ordinal);
            Assert.Equal("OPTIONS", method);
        }

        [Fact]
        public async Task Silence_and_missing_secrets_are_told_in_words()
        {
            await using var silent = new WebhookEndpoint((_, _) => Task.Delay(Timeout.Infinite));
            var result = await TestAsync(
                $$"""
                "BrokerType":"None","WebhookConnectionSettings":{"Url":"{{silent.Url}}","TimeoutInSec":1}
                """
            );
            Assert.False(result.Success);
            Assert.Contains("did not answer within 1 s", result.Message, StringComparison.Ordinal);
        }
    }

    [Collection(KafkaCollection.Name)]
    [Trait("Category", "Slow")]
    public sealed class OfKafka(KafkaCollection.SharedBroker broker) : ConnectionTests
    {
        [BrokerFact(BrokerKind.Kafka)]
        public async Task A_cluster_is_reached_and_nothing_is_made_in_it()
        {
            var kafka = await broker.StartedAsync();
            var result = await TestAsync(
                $$"""
                "BrokerType":"Kafka","KafkaConnectionSettings":{"BootstrapServers":"{{kafka.BootstrapServers}}"}
                """
            );
            Assert.True(result.Success, result.Message);
            Assert.Contains("1 broker.", result.Message, StringComparison.Ordinal);
        }
    }
}
