using System.Text;
using Jackdaw.Brokers;
using Jackdaw.Etl.Kafka;
using Xunit;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>Credentials and rights.</summary>
[Collection(KafkaCollection.Name)]
[Trait("Category", "Slow")]
public sealed class KafkaSecurityTests(KafkaCollection.SharedBroker broker)
{
    private async Task<KafkaScene> OpenAsync(string mechanism, string user = "", string password = "")
    {
        var kafka = await KafkaScene.OpenAsync(broker);
        kafka.UseSasl(broker, user, password, mechanism);
        await kafka.PutManyAsync(0, 2);
        return kafka;
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task The_right_credentials_send()
    {
        await using var kafka = await OpenAsync("PLAIN", "good", "right");
        await kafka.RunAsync();
        kafka.AssertExactlyOnce();
    }

    [BrokerTheory(BrokerKind.Kafka)]
    [InlineData(KafkaDeliveryName.Transactional, "PLAIN", "wrong", "Authentication")]
    [InlineData(KafkaDeliveryName.AtLeastOnce, "PLAIN", "wrong", "Authentication")]
    [InlineData(KafkaDeliveryName.Transactional, "SCRAM-SHA-256", "right", "mechanism")]
    public async Task Wrong_credentials_stop_the_task(string delivery, string mechanism, string password, string reason)
    {
        await using var kafka = await OpenAsync(mechanism, "good", password);
        await kafka.StartAsync(task: new KafkaTaskSettings { Delivery = Enum.Parse<KafkaDelivery>(delivery) });
        kafka.Scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, kafka.Scene.Task.State);
        Assert.Contains(reason, kafka.Scene.Task.Status().Reason, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("wrong\"", kafka.Scene.Task.Status().Reason, StringComparison.Ordinal);
    }

    [BrokerTheory(BrokerKind.Kafka)]
    [InlineData(KafkaDeliveryName.Transactional)]
    [InlineData(KafkaDeliveryName.AtLeastOnce)]
    public async Task A_user_without_rights_stops_the_task(string delivery)
    {
        await using var kafka = await OpenAsync("PLAIN", "poor", "right");
        await kafka.StartAsync(task: new KafkaTaskSettings { Delivery = Enum.Parse<KafkaDelivery>(delivery) });
        kafka.Scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, kafka.Scene.Task.State);
        Assert.Contains("AuthorizationFailed", kafka.Scene.Task.Status().Reason, StringComparison.Ordinal);
    }

    /// <summary>The native client fetched such tokens itself, from whatever address the endpoint's name led to.</summary>
    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_token_of_an_openid_provider_opens_the_door_and_one_where_a_cloud_hands_out_credentials_is_never_asked_for()
    {
        static string Part(string json) =>
            Convert.ToBase64String(Encoding.UTF8.GetBytes(json)).TrimEnd('=').Replace('+', '-').Replace('/', '_');
        long now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        string token = Part("""{"alg":"none"}""") + "." + Part($$"""{"sub":"good","iat":{{now - 10}},"exp":{{now + 3600}}}""") + ".";
        await using var endpoint = new HttpStub(_ => (200, $$"""{"access_token":"{{token}}","expires_in":3590}"""));
        await using var kafka = await OpenAsync("OAUTHBEARER");
        kafka.Options["sasl.oauthbearer.method"] = "OIDC";
        kafka.Options["sasl.oauthbearer.client.id"] = "me";
        kafka.Options["sasl.oauthbearer.client.secret"] = "mine";
        kafka.Options["sasl.oauthbearer.scope"] = "kafka";
        kafka.Options["Sasl.oauthbearer.token.endpoint.url"] = "http://[::ffff:169.254.169.254]/token";
        await kafka.StartAsync();
        kafka.Scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, kafka.Scene.Task.State);
        Assert.Contains("credentials to its machines", kafka.Scene.Task.Status().Reason, StringComparison.Ordinal);

        kafka.Options["Sasl.oauthbearer.token.endpoint.url"] = endpoint.Url.AbsoluteUri;
        kafka.Scene.Resume();
        kafka.RunToIdle();
        kafka.AssertExactlyOnce();
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_token_of_a_managed_identity_opens_the_door_and_a_refused_one_stops_the_task()
    {
        static string Part(string json) =>
            Convert.ToBase64String(Encoding.UTF8.GetBytes(json)).TrimEnd('=').Replace('+', '-').Replace('/', '_');
        long now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        string token = Part("""{"alg":"none"}""") + "." + Part($$"""{"sub":"good","iat":{{now - 10}},"exp":{{now + 3600}}}""") + ".";
        var answer = (403, "not you");
        await using var endpoint = new HttpStub(_ => answer);
        await using var kafka = await OpenAsync("OAUTHBEARER");
        kafka.ManagedIdentity = new ManagedIdentitySettings { Endpoint = endpoint.Url, Resource = "r" };
        await kafka.StartAsync();
        kafka.Scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, kafka.Scene.Task.State);
        Assert.Contains("answered 403: not you", kafka.Scene.Task.Status().Reason, StringComparison.Ordinal);
        answer = (200, $$"""{"access_token":"{{token}}","expires_on":"{{now + 3600}}"}""");
        kafka.Scene.Resume();
        kafka.RunToIdle();
        kafka.AssertExactlyOnce();
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Tls_to_a_port_without_it_stops_the_task_or_is_waited_for_with_the_reason()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.Options["security.protocol"] = "ssl";
        kafka.Times = new KafkaTimes { Opening = TimeSpan.FromSeconds(2) };
        await kafka.PutManyAsync(0, 1);
        await kafka.StartAsync();
        // Within so short a time there may have been nothing but silence.
        await Eventually.IsAsync(() =>
        {
            kafka.Scene.Clock.Advance(kafka.Scene.Task.RunStep() is var rest && rest > TimeSpan.Zero ? rest : TimeSpan.Zero);
            return kafka.Scene.Task.Status().Reason?.Contains("SSL", StringComparison.OrdinalIgnoreCase) == true;
        });
        Assert.Contains(kafka.Scene.Task.State, new[] { EtlTaskState.Stopped, EtlTaskState.Waiting });
        Assert.Contains("SSL", kafka.Scene.Task.Status().Reason, StringComparison.OrdinalIgnoreCase);
    }

    private static class KafkaDeliveryName
    {
        public const string Transactional = nameof(KafkaDelivery.Transactional);
        public const string AtLeastOnce = nameof(KafkaDelivery.AtLeastOnce);
    }
}
