using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json.Nodes;
using Jackdaw.Documents.Rooms;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Values;
using Jackdaw.Scripting;
using Jackdaw.Scripting.Errors;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class EtlTasksTests
{
    internal static readonly ScriptEngine s_engine = new();

    internal static byte[] Connection(string url, string? secret = null) =>
        Encoding.UTF8.GetBytes(
            new JsonObject
            {
                ["Type"] = "Queue",
                ["Name"] = "Hook",
                ["BrokerType"] = "None",
                ["WebhookConnectionSettings"] = new JsonObject
                {
                    ["Url"] = url,
                    ["Secret"] = secret,
                    ["TimeoutInSec"] = Eventually.Patience.TotalSeconds,
                },
            }.ToJsonString()
        );

    internal static byte[] Definition(string script = "loadToOut(this);", string members = "") =>
        Encoding.UTF8.GetBytes(
            $$"""{"EtlType":"Queue","BrokerType":"None","Name":"Out","ConnectionStringName":"hook",{{members}}"Transforms":[{"Name":"T","Collections":["Orders"],"Script":{{JsonValue.Create(script).ToJsonString()}}}]}"""
        );

    internal static EtlTasks Open(Scene scene) => EtlTasks.Open(scene.Database, s_engine, new EtlOptions());

    internal static Task UntilAsync(Func<bool> condition, [CallerArgumentExpression(nameof(condition))] string what = "") =>
        Eventually.IsAsync(condition, what);

    [Fact]
    public async Task A_task_survives_a_restart_with_its_position_and_ids_are_never_used_again()
    {
        await using var endpoint = new WebhookEndpoint((_, context) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        long id;
        await using (var tasks = Open(scene))
        {
            await tasks.PutConnectionAsync(Connection(endpoint.Url));
            id = await tasks.PutTaskAsync(Definition(), null);
            await scene.PutAsync("orders/1", "{}");
            await UntilAsync(() => endpoint.Requests.Count == 1);
        }
        await scene.PutAsync("orders/2", "{}");
        await using (var tasks = Open(scene))
        {
            await UntilAsync(() => endpoint.Requests.Count == 2);
            await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
            Assert.Equal(["orders/1", "orders/2"], endpoint.Requests.Select(request => request.Key));
            Assert.Equal(new EtlTaskRemoval(null), await tasks.RemoveTaskAsync(id));
            Assert.Empty(tasks.List());
            Assert.True(await tasks.PutTaskAsync(Definition(), null) > id);
            // A new task, a new position: both are sent again.
            await UntilAsync(() => endpoint.Requests.Count == 4);
        }
    }

    [Fact]
    public async Task A_task_is_not_woken_by_writes_in_other_collections_and_begins_with_one_that_is_added_when_it_is_added()
    {
        await using var endpoint = new WebhookEndpoint((_, context) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        await tasks.PutConnectionAsync(Connection(endpoint.Url));
        long id = await tasks.PutTaskAsync(Definition(), null);
        await scene.PutAsync("orders/1", "{}");
        await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
        await tasks.PutTaskAsync(Over("Users", "Other"), null);
        for (int i = 1; i <= 5; i++)
        {
            await scene.PutAsync($"users/{i}", "{}", "Users");
            await UntilAsync(() => endpoint.Requests.Count == 1 + i);
        }
        // One that was woken would have passed what is not for it.
        var status = Assert.Single(tasks.Find(id)!.Status.Transforms);
        Assert.Equal((1, 0, 0), (status.Etag, status.DocumentsBehind, status.EtagsBehind));

        await tasks.PutTaskAsync(Over("Orders\",\"users", "Out"), id);
        await UntilAsync(() => tasks.Find(id)!.Status.Transforms[0].Etag == 6);
        await scene.PutAsync("users/6", "{}", "Users");
        await UntilAsync(() => endpoint.Requests.Count == 8);
        await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
        Assert.Equal(2, endpoint.Requests.Count(request => request.Key == "users/6"));

        static byte[] Over(string collections, string name) =>
            Encoding.UTF8.GetBytes(
                Encoding
                    .UTF8.GetString(Definition())
                    .Replace("Orders", collections, StringComparison.Ordinal)
                    .Replace("\"Name\":\"Out\"", $"\"Name\":\"{name}\"", StringComparison.Ordinal)
            );
    }

    [Fact]
    public async Task A_disabled_task_sends_nothing_until_it_is_enabled()
    {
        await using var endpoint = new WebhookEndpoint((_, context) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        await tasks.PutConnectionAsync(Connection(endpoint.Url));
        long id = await tasks.PutTaskAsync(Definition(members: "\"Disabled\":true,"), null);
        await scene.PutAsync("orders/1", "{}");
        Assert.Equal(EtlTaskState.Disabled, tasks.Find(id)!.Status.State);
        Assert.True(await tasks.SetDisabledAsync(id, disabled: false));
        await UntilAsync(() => endpoint.Requests.Count == 1);
        Assert.False(tasks.Find(id)!.Definition.Configuration.Disabled);
    }

    [Fact]
    public async Task A_changed_connection_string_moves_its_tasks()
    {
        await using var old = new WebhookEndpoint(
            (_, context) =>
            {
                context.Response.StatusCode = 401;
                return Task.CompletedTask;
            }
        );
        await using var next = new WebhookEndpoint((_, context) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        await tasks.PutConnectionAsync(Connection(old.Url));
        long id = await tasks.PutTaskAsync(Definition(), null);
        await scene.PutAsync("orders/1", "{}");
        await UntilAsync(() => tasks.Find(id)!.Status.State == EtlTaskState.Stopped);
        await tasks.PutConnectionAsync(Connection(next.Url));
        await UntilAsync(() => next.Requests.Count == 1);
        await Assert.ThrowsAsync<InvalidConfigurationException>(() => tasks.RemoveConnectionAsync("HOOK"));
        await tasks.RemoveTaskAsync(id);
        Assert.True(await tasks.RemoveConnectionAsync("HOOK"));
        Assert.False(await tasks.RemoveConnectionAsync("HOOK"));
    }

    [Theory]
    [InlineData("""{"EtlType":""}""", "must have an 'EtlType'")]
    [InlineData(
        """{"EtlType":"Queue","ConnectionStringName":"nobody","Transforms":[{"Collections":["A"],"Script":"loadToA(this)"}]}""",
        "no connection string named 'nobody'"
    )]
    [InlineData(
        """{"EtlType":"Queue","ConnectionStringName":"hook","BrokerType":"Kafka","Transforms":[{"Collections":["A"],"Script":"loadToA(this)"}]}""",
        "for Kafka, and its connection string 'Hook' for None"
    )]
    [InlineData("""{"EtlType":"Queue","ConnectionStringName":"hook","Transforms":[]}""", "at least one")]
    [InlineData(
        """{"EtlType":"Queue","ConnectionStringName":"hook","Transforms":[{"Script":"loadToA(this)"}]}""",
        "must name 'Collections'"
    )]
    [InlineData(
        """{"EtlType":"Queue","ConnectionStringName":"hook","Queues":[{"Name":"A","DeleteProcessedDocuments":true}],"Transforms":[{"Name":"t","Collections":["A","@Events"],"Script":"loadToA(this)"}]}""",
        "The transform 't' reads '@events', whose events are read-only"
    )]
    [InlineData(
        """{"EtlType":"Queue","ConnectionStringName":"hook","Transforms":[{"Collections":["A"],"Script":"return 1"}]}""",
        "never calls loadTo"
    )]
    [InlineData(
        """{"EtlType":"Queue","ConnectionStringName":"hook","Transforms":[{"Name":"a","Collections":["A"],"Script":"loadToA(this)"},{"Name":"A","Collections":["A"],"Script":"loadToA(this)"}]}""",
        "two transforms named"
    )]
    [InlineData(
        """{"EtlType":"Queue","ConnectionStringName":"hook","MaxFailedShare":7,"Transforms":[{"Collections":["A"],"Script":"loadToA(this)"}]}""",
        "MaxFailedShare"
    )]
    [InlineData(
        """{"EtlType":"Queue","ConnectionStringName":"hook","MaxMessagesPerSecond":-1,"Transforms":[{"Collections":["A"],"Script":"loadToA(this)"}]}""",
        "MaxMessagesPerSecond"
    )]
    [InlineData(
        """{"EtlType":"Queue","ConnectionStringName":"hook","Queues":[{"Name":"A","DeleteProcessedDocuments":true}],"Transforms":[{"Name":"a","Collections":["A"],"Script":"loadToA(this)"},{"Name":"b","Collections":["b","a"],"Script":"loadToA(this)"}]}""",
        "must not read the same collection"
    )]
    [InlineData("[1]", "must be a JSON object")]
    [InlineData("{", "no valid JSON")]
    [InlineData("""{"EtlType":"Queue","etlType":"Sql"}""", "same member twice")]
    [InlineData("""{"EtlType":"Queue","Transforms":[{"Name":"a","Name":"b"}]}""", "same member twice")]
    [InlineData("""{"EtlType":"Queue","Name":"\ud800"}""", "half a surrogate pair")]
    public async Task A_task_that_cannot_be_is_refused_with_the_reason(string json, string reason)
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        await tasks.PutConnectionAsync(Connection("http://127.0.0.1:1/"));
        var error = await Assert.ThrowsAsync<InvalidConfigurationException>(() => tasks.PutTaskAsync(Encoding.UTF8.GetBytes(json), null));
        Assert.Contains(reason, error.Message, StringComparison.Ordinal);
        Assert.Empty(tasks.List());
    }

    [Fact]
    public async Task A_script_that_does_not_compile_and_a_name_that_is_taken_are_refused()
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        await tasks.PutConnectionAsync(Connection("http://127.0.0.1:1/"));
        var error = await Assert.ThrowsAsync<ScriptSyntaxException>(() =>
            tasks.PutTaskAsync(Definition("loadToA(this);\n let x = ;"), null)
        );
        Assert.Equal(2, error.Line);
        long id = await tasks.PutTaskAsync(Definition(), null);
        await Assert.ThrowsAsync<InvalidConfigurationException>(() => tasks.PutTaskAsync(Definition(), null));
        Assert.Equal(id, await tasks.PutTaskAsync(Definition("loadToOther(this);"), id));
    }

    [Fact]
    public async Task Secrets_are_never_shown_and_kept_when_the_mask_comes_back()
    {
        const string Secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
        await using var endpoint = new WebhookEndpoint((_, context) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        await tasks.PutConnectionAsync(Connection(endpoint.Url, Secret));
        string shown = Assert.Single(tasks.Connections()).Masked().ToJsonString();
        Assert.DoesNotContain(Secret[6..], shown, StringComparison.Ordinal);
        await tasks.PutConnectionAsync(Encoding.UTF8.GetBytes(shown));
        await tasks.PutTaskAsync(Definition(), null);
        await scene.PutAsync("orders/1", "{}");
        await UntilAsync(() => endpoint.Requests.Count == 1);
        Assert.True(endpoint.Requests.TryPeek(out var request));
        Assert.StartsWith("v1,", request.Header("webhook-signature"), StringComparison.Ordinal);
    }

    [Fact]
    public void Secrets_are_masked_in_connection_texts_and_addresses_but_not_their_references()
    {
        var members = new JsonObject
        {
            ["ConnectionString"] = "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=c2VjcmV0==;EndpointSuffix=x",
            ["Inner"] = new JsonObject
            {
                ["ConnectionString"] = "amqp://user:s3cret@host:5672/v",
                ["ClientSecret"] = "${env:MINE}",
                ["sasl.password"] = "hush",
                ["sasl.username"] = "me",
            },
        };
        Secrets.Mask(members);
        Assert.Equal(
            """{"ConnectionString":"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=******;EndpointSuffix=x","Inner":{"ConnectionString":"amqp://user:******@host:5672/v","ClientSecret":"${env:MINE}","sasl.password":"******","sasl.username":"me"}}""",
            members.ToJsonString()
        );
    }

    [Theory]
    [InlineData("""{"BootstrapServers":"a:1","ConnectionOptions":{"sasl.password":"p"}}""", "BootstrapServers", "b:1")]
    [InlineData("""{"EndpointSuffix":"x","EntraId":{"ClientSecret":"p"}}""", "EndpointSuffix", "y")]
    [InlineData("""{"EntraId":{"ClientSecret":"p"}}""", "EndpointSuffix", "y")]
    public void A_secret_is_not_kept_for_another_address(string stored, string name, string other)
    {
        var former = JsonNode.Parse(stored)!.AsObject();
        var written = JsonNode.Parse(stored)!.AsObject();
        Secrets.Mask(written);
        var elsewhere = written.DeepClone().AsObject();
        elsewhere[name] = other;
        Assert.Contains(
            name,
            Assert.Throws<InvalidConfigurationException>(() => Secrets.Keep(elsewhere, former)).Message,
            StringComparison.Ordinal
        );
        Secrets.Keep(written, former);
        Assert.Equal(former.ToJsonString(), written.ToJsonString());
    }

    [Theory]
    [InlineData("security.protocol", "SASL_PLAINTEXT")]
    [InlineData("sasl.mechanism", "PLAIN")]
    [InlineData("enable.ssl.certificate.verification", "false")]
    [InlineData("ssl.ca.pem", "another")]
    public void A_secret_is_not_kept_for_a_way_on_which_others_may_read_it(string name, string other)
    {
        const string Stored =
            """{"BootstrapServers":"a:1","ConnectionOptions":{"sasl.password":"p","security.protocol":"SASL_SSL","sasl.mechanism":"SCRAM-SHA-512"}}""";
        var written = JsonNode.Parse(Stored)!.AsObject();
        Secrets.Mask(written);
        written["ConnectionOptions"]![name] = other;
        var refused = Assert.Throws<InvalidConfigurationException>(() => Secrets.Keep(written, JsonNode.Parse(Stored)!.AsObject()));
        Assert.Contains(name, refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Private_keys_and_secrets_that_are_numbers_are_masked_and_kept_too()
    {
        const string Options =
            """{"ConnectionOptions":{"ssl.key.pem":"-----BEGIN PRIVATE KEY-----","sasl.oauthbearer.assertion.private.key.pem":"mine","sasl.password":12345,"linger.ms":5}}""";
        var shown = JsonNode.Parse(Options)!.AsObject();
        Secrets.Mask(shown);
        Assert.Equal(
            """{"ConnectionOptions":{"ssl.key.pem":"******","sasl.oauthbearer.assertion.private.key.pem":"******","sasl.password":"******","linger.ms":5}}""",
            shown.ToJsonString()
        );
        Secrets.Keep(shown, JsonNode.Parse(Options)!.AsObject());
        Assert.Equal(Options, shown.ToJsonString());
    }

    [Theory]
    [InlineData("""{"Passwords":["a",["b",7]],"Hosts":["c"]}""", """{"Passwords":["******",["******","******"]],"Hosts":["c"]}""")]
    [InlineData(
        """{"Credentials":{"x":"a","more":[{"y":1}]},"Passwordless":{"ClientId":"c"}}""",
        """{"Credentials":{"x":"******","more":[{"y":"******"}]},"Passwordless":{"ClientId":"c"}}"""
    )]
    [InlineData(
        """{"Servers":["redis://:hush@a:6379/0","redis://tok@en@b?db=1","amqps://c:5671/v"]}""",
        """{"Servers":["redis://:******@a:6379/0","redis://******@b?db=******","amqps://c:5671/v"]}"""
    )]
    public void Secrets_in_lists_below_telling_names_and_alone_before_a_host_are_masked_and_kept_too(string stored, string masked)
    {
        var shown = JsonNode.Parse(stored)!.AsObject();
        Secrets.Mask(shown);
        Assert.Equal(masked, shown.ToJsonString());
        Secrets.Keep(shown, JsonNode.Parse(stored)!.AsObject());
        Assert.Equal(stored, shown.ToJsonString());
    }

    [Theory]
    [InlineData("\"Url\":\"http://x/\",\"TimeoutInSec\":1e300", "a number of seconds")]
    [InlineData("\"Url\":\"http://x/\",\"url\":\"http://y/\"", "same member twice")]
    [InlineData("\"Url\":\"${file:\\u0000}\"", "cannot be read")]
    public async Task A_connection_string_that_cannot_be_is_refused_or_stored_with_the_reason_as_a_warning(string settings, string reason)
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        byte[] json = Encoding.UTF8.GetBytes(
            $$"""{"Type":"Queue","Name":"Hook","BrokerType":"None","WebhookConnectionSettings":{ {{settings}} } }"""
        );
        // What is no JSON object without doubts is no connection string; one that leads nowhere is.
        string? said = settings.Contains("\"url\"", StringComparison.Ordinal)
            ? (await Assert.ThrowsAsync<InvalidConfigurationException>(() => tasks.PutConnectionAsync(json))).Message
            : await tasks.PutConnectionAsync(json);
        Assert.Contains(reason, said, StringComparison.Ordinal);
    }

    [Fact]
    public void A_secret_may_lie_in_the_environment_or_in_a_file()
    {
        string file = Path.GetTempFileName();
        File.WriteAllText(file, "from a file\n");
        Environment.SetEnvironmentVariable("JACKDAW_ETL_TEST", "from the environment");
        Assert.Equal("from the environment", Secrets.Expand("${env:JACKDAW_ETL_TEST}", UnboundMachineSecrets.Instance));
        Assert.Equal("from a file", Secrets.Expand($"${{file:{file}}}", UnboundMachineSecrets.Instance));
        File.WriteAllText(file, new string('x', EtlLimits.MaxSecretFileBytes));
        Assert.Equal(EtlLimits.MaxSecretFileBytes, Secrets.Expand($"${{file:{file}}}", UnboundMachineSecrets.Instance).Length);
        File.AppendAllText(file, "x");
        Assert.Contains(
            "65,536 bytes",
            Assert.Throws<InvalidConfigurationException>(() => Secrets.Expand($"${{file:{file}}}", UnboundMachineSecrets.Instance)).Message,
            StringComparison.Ordinal
        );
        Assert.Equal("plain from the environment", Secrets.Expand("plain ${env:JACKDAW_ETL_TEST}", UnboundMachineSecrets.Instance));
        File.Delete(file);
        Assert.Contains(
            file,
            Assert.Throws<InvalidConfigurationException>(() => Secrets.Expand($"${{file:{file}}}", UnboundMachineSecrets.Instance)).Message,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Deletions_that_were_missed_are_told_until_a_person_has_seen_them()
    {
        await using var endpoint = new WebhookEndpoint((_, context) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        await tasks.PutConnectionAsync(Connection(endpoint.Url));
        long id = await tasks.PutTaskAsync(Definition(), null);
        await MissAsync(id, "t");
        await MissAsync(id + 1, "t");
        Assert.Equal(new DeletionGap($"etl/{id}/t", 5, 9, 3, 77), Assert.Single(tasks.Gaps(id)));
        Assert.True(await tasks.ForgetGapsAsync(id));
        Assert.Empty(tasks.Gaps(id));
        Assert.False(await tasks.ForgetGapsAsync(id));
        // Those of another task have not been seen.
        Assert.Single(tasks.Gaps(id + 1));
        // A task that is removed leaves none to one that comes later.
        await MissAsync(id, "t");
        await tasks.RemoveTaskAsync(id);
        Assert.Empty(tasks.Gaps(id));

        // As docs/documents-format.md says.
        async Task MissAsync(long task, string transform)
        {
            byte[] value = new byte[40];
            value[0] = 1;
            value[8] = 5;
            value[16] = 9;
            value[24] = 3;
            value[32] = 77;
            await scene.Database.SubmitAsync(new GapByHand($"gap/etl/{task}/{transform}", value));
        }
    }

    [Fact]
    public async Task Tombstones_wait_for_a_task_that_could_not_be_started_until_it_is_resumed()
    {
        const string Variable = "JACKDAW_ETL_TEST_URL";
        await using var endpoint = new WebhookEndpoint((_, context) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync(tombstoneCleaning: TimeSpan.FromMilliseconds(50));
        Environment.SetEnvironmentVariable(Variable, endpoint.Url);
        await using (var tasks = Open(scene))
        {
            await tasks.PutConnectionAsync(Connection($"${{env:{Variable}}}"));
            await tasks.PutTaskAsync(
                Encoding.UTF8.GetBytes(
                    Encoding
                        .UTF8.GetString(Definition())
                        .Replace("\"Name\":\"T\"", "\"Name\":\"T\",\"PublishDeletes\":true", StringComparison.Ordinal)
                ),
                null
            );
            await scene.PutAsync("orders/1", "{}");
            await UntilAsync(() => tasks.List()[0].Status is { State: EtlTaskState.Idle, Messages: 1 });
        }
        Environment.SetEnvironmentVariable(Variable, null);
        await using (var tasks = Open(scene))
        {
            Assert.Equal(EtlTaskState.Stopped, tasks.List()[0].Status.State);
            await scene.DeleteAsync("orders/1");
            // Time for many rounds of cleaning.
            await Task.Delay(400);
            Assert.Equal(1, scene.Database.Statistics().TombstoneCount);
            Environment.SetEnvironmentVariable(Variable, endpoint.Url);
            Assert.True(await tasks.ResumeAsync(1));
            await UntilAsync(() => endpoint.Requests.Count == 2);
            // And no longer than that.
            await UntilAsync(() => scene.Database.Statistics().TombstoneCount == 0);
        }
        Environment.SetEnvironmentVariable(Variable, null);
    }

    [Fact]
    public async Task A_stored_task_that_can_be_none_any_more_stops_alone_and_can_be_put_right()
    {
        await using var endpoint = new WebhookEndpoint((_, context) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        await using (var tasks = Open(scene))
        {
            await tasks.PutConnectionAsync(Connection(endpoint.Url));
            await tasks.PutTaskAsync(Definition(), null);
            await tasks.PutTaskAsync(
                Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(Definition()).Replace("\"Out\"", "\"Other\"", StringComparison.Ordinal)),
                null
            );
        }
        await scene.Database.SubmitAsync(
            new StoreValuesOperation().Set(
                "etl/task/1",
                """{"EtlType":"Queue","Name":"Out","ConnectionStringName":"hook","Transforms":[],"Later":1}"""u8.ToArray()
            )
        );
        await using (var tasks = Open(scene))
        {
            await scene.PutAsync("orders/1", "{}");
            await UntilAsync(() => tasks.Find(2)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
            Assert.Equal(EtlTaskState.Stopped, tasks.Find(1)!.Status.State);
            Assert.Contains("at least one of 'Transforms'", tasks.Find(1)!.Status.Reason, StringComparison.Ordinal);
            Assert.Equal("1", tasks.Find(1)!.Definition.Object()["Later"]!.ToJsonString());
            await tasks.PutTaskAsync(Definition(), 1);
            await UntilAsync(() => tasks.Find(1)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
        }
    }

    [Fact]
    public async Task A_task_waits_while_all_script_machines_are_busy_when_it_is_opened()
    {
        await using var endpoint = new WebhookEndpoint((_, _) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        await using (var tasks = Open(scene))
        {
            await tasks.PutConnectionAsync(Connection(endpoint.Url));
            await tasks.PutTaskAsync(Definition(), null);
        }
        await scene.PutAsync("orders/1", "{}");
        using var small = new ScriptEngine(new ScriptEngineOptions { MaxMachines = 1, RentTimeout = TimeSpan.FromMilliseconds(20) });
        var other = Transforming.TransformScript.Compile(small, Scene.Transform("loadToA(this);")).Puts;
        EtlTasks opened;
        using (other.Rent())
        {
            opened = EtlTasks.Open(scene.Database, small, new EtlOptions());
            await UntilAsync(() => opened.Find(1)!.Status.State is EtlTaskState.Waiting or EtlTaskState.Stopped);
            Assert.Equal(EtlTaskState.Waiting, opened.Find(1)!.Status.State);
            Assert.Empty(endpoint.Requests);
        }
        await using (opened)
            await UntilAsync(() => opened.Find(1)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
    }

    [Fact]
    public async Task A_transform_that_was_taken_out_and_comes_back_begins_as_a_new_one()
    {
        await using var endpoint = new WebhookEndpoint((_, _) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        await tasks.PutConnectionAsync(Connection(endpoint.Url));
        long id = await tasks.PutTaskAsync(Definition(), null);
        await scene.PutAsync("orders/1", "{}");
        await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
        byte[] renamed = Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(Definition()).Replace("\"T\"", "\"U\"", StringComparison.Ordinal));
        await tasks.PutTaskAsync(renamed, id);
        await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
        await scene.DeleteAsync("orders/1");
        await scene.PutAsync("orders/2", "{}");
        await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 2 });
        // A script that is changed keeps its position; one that was away for a while has none.
        await tasks.PutTaskAsync(
            Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(renamed).Replace("loadToOut", "loadToOther", StringComparison.Ordinal)),
            id
        );
        await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 0 });
        await scene.PutAsync("orders/3", "{}");
        await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
        await tasks.PutTaskAsync(Definition(), id);
        await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 2 });
        Assert.Equal(
            ["orders/1", "orders/1", "orders/2", "orders/2", "orders/3", "orders/3"],
            endpoint.Requests.Select(request => request.Key).Order()
        );
    }

    [Fact]
    public async Task Traces_are_wanted_while_there_is_a_task()
    {
        await using var endpoint = new WebhookEndpoint((_, context) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        await using (var tasks = Open(scene))
        {
            Assert.False(scene.Database.WantsTraces);
            await tasks.PutConnectionAsync(Connection(endpoint.Url));
            long id = await tasks.PutTaskAsync(Definition(), null);
            Assert.True(scene.Database.WantsTraces);
            await tasks.RemoveTaskAsync(id);
            Assert.False(scene.Database.WantsTraces);
            await tasks.PutTaskAsync(Definition(), null);
        }
        scene.Database.WantsTraces = false;
        await using var again = Open(scene);
        Assert.True(scene.Database.WantsTraces);
    }

    [Fact]
    public async Task Dead_letters_are_shown_in_pages_and_purged_in_parts_by_task_transform_and_state()
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        for (int i = 0; i < 700; i++)
        {
            await scene.PutAsync(
                $"@dead-letters/{i:D4}",
                $$"""
                {"Task":"{{(i % 2 == 0 ? "Even" : "Odd")}}","TaskId":{{i % 2}},"Transform":"{{(
                    i % 10 == 0 ? "Ten" : "Other"
                )}}","DocumentId":"orders/{{i}}","ChangeVector":"A:1-x","Etag":1,"Number":0,"State":"{{(
                    i % 7 == 0 ? "Superseded" : "Dead"
                )}}"}
                """,
                "@dead-letters"
            );
        }
        // What somebody else put there is none, and is left alone.
        await scene.PutAsync("@dead-letters/strange", """{"TaskId":"\ud800","Task":7}""", "@dead-letters");
        var even = new DeadLetterFilter { TaskName = "EVEN" };
        var shown = new List<string>();
        DeadLetterPage page;
        do
        {
            page = tasks.DeadLetters(even, shown.Count, 150);
            shown.AddRange(page.Letters.Select(letter => letter.Key));
        } while (page.HasMore);
        Assert.Equal(Enumerable.Range(0, 350).Select(i => $"@dead-letters/{2 * i:D4}"), shown);
        Assert.Equal(70, await tasks.PurgeDeadLettersAsync(new DeadLetterFilter { TaskId = 0, Transform = "ten" }, CancellationToken.None));
        Assert.Equal(
            90,
            await tasks.PurgeDeadLettersAsync(new DeadLetterFilter { State = DeadLetterState.Superseded }, CancellationToken.None)
        );
        Assert.Equal(1, await tasks.PurgeDeadLettersAsync(new DeadLetterFilter { Id = "@DEAD-LETTERS/0001" }, CancellationToken.None));
        Assert.Equal(0, await tasks.PurgeDeadLettersAsync(new DeadLetterFilter { Id = "orders/1" }, CancellationToken.None));
        Assert.Equal(539, await tasks.PurgeDeadLettersAsync(new DeadLetterFilter(), CancellationToken.None));
        Assert.Equal(1, tasks.DeadLetterCount);
    }

    private sealed class GapRoom() : Room("gap");

    private sealed class GapByHand(string key, byte[] value) : RoomOperation(new GapRoom())
    {
        public override long SizeBytes => value.Length;

        protected override void Execute(RoomWriter writer) => writer.SetValue(Encoding.UTF8.GetBytes(key), value);
    }
}
