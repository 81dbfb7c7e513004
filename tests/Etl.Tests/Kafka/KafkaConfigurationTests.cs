using System.Text;
using System.Text.Json.Nodes;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Kafka;
using Jackdaw.Etl.Sinks;
using Jackdaw.Scripting;
using Xunit;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>What is refused before anything runs, in words; and tokens of managed identities. No broker is needed.</summary>
public sealed class KafkaConfigurationTests
{
    private static readonly ScriptEngine s_engine = new();

    private static byte[] Connection(string options, string servers = "127.0.0.1:1", string more = "") =>
        Encoding.UTF8.GetBytes(
            $$"""{"Type":"Queue","Name":"K","BrokerType":"Kafka","KafkaConnectionSettings":{"BootstrapServers":"{{servers}}","ConnectionOptions":{{options}}{{more}} } }"""
        );

    private static byte[] Definition(string script = "loadToOut(this);", string members = "") =>
        Encoding.UTF8.GetBytes(
            $$"""{"EtlType":"Queue","BrokerType":"Kafka","Name":"Out","ConnectionStringName":"k",{{members}}"Disabled":true,"Transforms":[{"Collections":["Orders"],"Script":{{JsonValue.Create(script).ToJsonString()}}}]}"""
        );

    [Theory]
    [InlineData("""{"transactional.id":"mine"}""", "'transactional.id' cannot be set: the task sets it")]
    [InlineData("""{"ACKS":"1"}""", "'ACKS' cannot be set: the task sets it")]
    [InlineData("""{"enable.idempotence":false}""", "'enable.idempotence' cannot be set")]
    [InlineData("""{"partitioner":"random"}""", "'partitioner' cannot be set")]
    [InlineData("""{"message.timeout.ms":"1"}""", "'message.timeout.ms' cannot be set")]
    [InlineData("""{"bootstrap.servers":"x:1"}""", "given as BootstrapServers")]
    [InlineData("""{"plugin.library.paths":"/tmp/x.so"}""", "load or run something")]
    [InlineData("""{"sasl.kerberos.kinit.cmd":"rm"}""", "load or run something")]
    [InlineData("""{"sasl.kerberos.principal":"x; touch /tmp/y"}""", "'sasl.kerberos.principal' becomes part of a command")]
    [InlineData("""{"Sasl.Kerberos.Keytab ":"/etc/$(id)"}""", "becomes part of a command")]
    [InlineData("""{"no.such.option":"1"}""", "no.such.option")]
    [InlineData("""{"compression.type":"brotli"}""", "brotli")]
    [InlineData("""{"linger.ms":{}}""", "ConnectionOptions.linger.ms")]
    [InlineData("""{"sasl.password":"${env:JACKDAW_NOT_SET}"}""", "'JACKDAW_NOT_SET'")]
    public async Task Options_that_cannot_be_are_warned_of_when_the_connection_is_saved(string options, string reason)
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = EtlTasks.Open(scene.Database, s_engine, new EtlOptions());
        Assert.Contains(reason, await tasks.PutConnectionAsync(Connection(options)), StringComparison.Ordinal);
        // And they are never used.
        long id = await tasks.PutTaskAsync(Definition(), null);
        await tasks.SetDisabledAsync(id, disabled: false);
        await EtlTasksTests.UntilAsync(() => tasks.Find(id)!.Status.State == EtlTaskState.Stopped);
        Assert.Contains(reason, tasks.Find(id)!.Status.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Options_are_known_in_any_casing()
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = EtlTasks.Open(scene.Database, s_engine, new EtlOptions());
        await tasks.PutConnectionAsync(
            Connection(
                """{"Linger.ms":"5","Security.protocol":"SASL_PLAINTEXT","Sasl.mechanism":"PLAIN","Sasl.username":"u","Sasl.password":"hush"}"""
            )
        );
        Assert.DoesNotContain("hush", tasks.Connections()[0].Masked().ToJsonString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("kafka://h:1", "", "without a scheme")]
    [InlineData("h:1", ""","UseRavenCertificate":true""", "none is configured")]
    [InlineData("h:1", ""","ManagedIdentity":{"Resource":"r"}""", "OAUTHBEARER")]
    public async Task Connections_that_cannot_be_are_warned_of_when_they_are_saved(string servers, string more, string reason)
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = EtlTasks.Open(scene.Database, s_engine, new EtlOptions());
        Assert.Contains(reason, await tasks.PutConnectionAsync(Connection("{}", servers, more)), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("loadTo('no topic', this);", "", "contains ' '")]
    [InlineData("loadTo('__consumer_offsets', this);", "", "Kafka's own")]
    [InlineData("loadToOut(this);", "\"Delivery\":\"ExactlyTwice\",", "'Delivery' must be one of Transactional, AtLeastOnce")]
    [InlineData("loadToOut(this);", "\"CloudEventsMode\":\"Odd\",", "'CloudEventsMode' must be one of Binary, Structured")]
    public async Task Tasks_that_cannot_be_are_refused_when_they_are_saved(string script, string members, string reason)
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = EtlTasks.Open(scene.Database, s_engine, new EtlOptions());
        await tasks.PutConnectionAsync(Connection("{}"));
        var refusal = await Assert.ThrowsAsync<InvalidConfigurationException>(() => tasks.PutTaskAsync(Definition(script, members), null));
        Assert.Contains(reason, refusal.Message, StringComparison.Ordinal);
        await tasks.PutTaskAsync(Definition(), null);
    }

    [Fact]
    public async Task Secrets_among_the_options_are_never_shown()
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = EtlTasks.Open(scene.Database, s_engine, new EtlOptions());
        await tasks.PutConnectionAsync(
            Connection(
                """{"sasl.mechanism":"PLAIN","security.protocol":"SASL_SSL","sasl.username":"u","sasl.password":"hush","ssl.key.password":"hush"}"""
            )
        );
        string shown = tasks.Connections()[0].Masked().ToJsonString();
        Assert.DoesNotContain("hush", shown, StringComparison.Ordinal);
        Assert.Contains("SASL_SSL", shown, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_token_of_a_managed_identity_is_fetched_from_its_endpoint()
    {
        string asked = "";
        await using var endpoint = new HttpStub(request =>
        {
            asked = $"{request.Url!.PathAndQuery} {request.Headers["Metadata"]}";
            return (200, """{"access_token":"secret-token","expires_on":"2000000000","token_type":"Bearer"}""");
        });
        var token = ManagedIdentityToken.Fetch(
            new ManagedIdentitySettings
            {
                Endpoint = new Uri(endpoint.Url, "token"),
                Resource = "https://ns.servicebus.windows.net",
                ClientId = "me",
            }
        );
        Assert.Equal(
            ("secret-token", DateTimeOffset.FromUnixTimeSeconds(2_000_000_000), "me"),
            (token.Value, token.ExpiresAt, token.Principal)
        );
        Assert.Equal("/token?api-version=2018-02-01&resource=https%3A%2F%2Fns.servicebus.windows.net&client_id=me true", asked);
        Assert.DoesNotContain("secret-token", token.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(400, SinkFault.Task)]
    [InlineData(403, SinkFault.Task)]
    [InlineData(404, SinkFault.Sink)]
    [InlineData(429, SinkFault.Sink)]
    [InlineData(500, SinkFault.Sink)]
    [InlineData(200, SinkFault.Task)]
    public async Task An_endpoint_that_refuses_a_token_says_whose_fault_it_is(int status, object fault)
    {
        await using var endpoint = new HttpStub(_ => (status, "no such identity"));
        var refusal = Assert.Throws<SinkException>(() =>
            ManagedIdentityToken.Fetch(new ManagedIdentitySettings { Endpoint = endpoint.Url, Resource = "r" })
        );
        Assert.Equal(fault, (object)refusal.Fault);
    }

    [Fact]
    public async Task A_broker_without_transactions_stops_the_task_with_what_to_choose_instead()
    {
        await using var old = new OldKafka();
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        var config = new KafkaClientConfig(new KafkaSettings { BootstrapServers = $"127.0.0.1:{old.Port}" }, null, KafkaTimes.Default);
        var names = new KafkaTaskNames(scene.Database.Id, 7);
        await scene.StartAsync(
            Scene.Configuration(Scene.Transform("loadToOut(this);")),
            new KafkaTransactionalSink(config, new KafkaTaskSettings(), names, new KafkaOwnership(scene.Database, 7), scene.Reach)
        );
        scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, scene.Task.State);
        Assert.Contains("Delivery 'AtLeastOnce'", scene.Task.Status().Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_untrusted_certificate_is_the_tasks_fault()
    {
        await using var old = new OldKafka();
        await using var secure = TlsTerminator.Start(old.Port, "localhost");
        old.AdvertisedPort = secure.Port;
        var settings = new KafkaSettings
        {
            BootstrapServers = $"localhost:{secure.Port}",
            Options = new Dictionary<string, string> { ["security.protocol"] = "ssl" },
        };
        await using (var untrusting = new KafkaConnectionTest(new KafkaClientConfig(settings, null, KafkaTimes.Default)))
        {
            var refusal = await Assert.ThrowsAsync<SinkException>(() => untrusting.TestAsync(CancellationToken.None));
            Assert.Equal(SinkFault.Task, refusal.Fault);
            Assert.Contains("certificate", refusal.Message, StringComparison.OrdinalIgnoreCase);
        }
        var trusting = settings with
        {
            Options = new Dictionary<string, string>(settings.Options) { ["ssl.ca.location"] = secure.AuthorityFile },
        };
        await using var test = new KafkaConnectionTest(new KafkaClientConfig(trusting, null, KafkaTimes.Default));
        Assert.Matches("1 (connected )?broker", await OutcomeAsync(test));
    }

    /// <summary>What a test of a connection that is trusted says. The broker is too old for transactions, which the client may or may not
    /// find out before the test has ended.</summary>
    private static async Task<string> OutcomeAsync(KafkaConnectionTest test)
    {
        try
        {
            return await test.TestAsync(CancellationToken.None);
        }
        catch (SinkException tooOld)
        {
            return tooOld.Message;
        }
    }
}
