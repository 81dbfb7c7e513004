using System.Text;
using Jackdaw.Etl.Configuration;
using Xunit;
using static Jackdaw.Etl.Tests.EtlTasksTests;

namespace Jackdaw.Etl.Tests;

/// <summary>A member that is misspelt must not be passed over: what it was meant to do would not be done.</summary>
public class UnknownMembersTests
{
    private const string Webhook = "\"Type\":\"Queue\",\"Name\":\"Other\",\"BrokerType\":\"None\"";

    [Theory]
    [InlineData(
        """{"EtlType":"Queue","ConnectionStringName":"hook","Disable":true,"Transforms":[{"Collections":["A"],"Script":"loadToA(this)"}]}""",
        "Disable"
    )]
    [InlineData(
        """{"EtlType":"Queue","ConnectionStringName":"hook","Transforms":[{"Collections":["A"],"PublishDelets":true,"Script":"loadToA(this)"}]}""",
        "PublishDelets"
    )]
    [InlineData(
        """{"EtlType":"Queue","ConnectionStringName":"hook","Queues":[{"Name":"A","DeleteProcessed":true}],"Transforms":[{"Collections":["A"],"Script":"loadToA(this)"}]}""",
        "DeleteProcessed"
    )]
    public async Task A_task_with_a_member_that_tasks_do_not_have_is_refused_by_the_members_name(string json, string member)
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        await tasks.PutConnectionAsync(Connection("http://127.0.0.1:1/"));
        var error = await Assert.ThrowsAsync<InvalidConfigurationException>(() => tasks.PutTaskAsync(Encoding.UTF8.GetBytes(json), null));
        Assert.Contains($"'{member}'", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData($$"""{ {{Webhook}},"WebhookConnectionSettings":{"Url":"http://x/"},"Sekret":"a"}""", "Sekret")]
    [InlineData($$"""{ {{Webhook}},"WebhookConnectionSettings":{"Url":"http://x/","Timeout":3} }""", "Timeout")]
    [InlineData(
        """{"Type":"Queue","Name":"K","BrokerType":"Kafka","KafkaConnectionSettings":{"BootstrapServers":"a:1","Options":{}}}""",
        "Options"
    )]
    [InlineData(
        """{"Type":"Queue","Name":"K","BrokerType":"Kafka","KafkaConnectionSettings":{"BootstrapServers":"a:1","ManagedIdentity":{"Resorce":"r"}}}""",
        "Resorce"
    )]
    [InlineData(
        """{"Type":"Queue","Name":"R","BrokerType":"RabbitMq","RabbitMqConnectionSettings":{"ConnectionString":"amqp://a","Vhost":"r"}}""",
        "Vhost"
    )]
    [InlineData(
        """{"Type":"Queue","Name":"A","BrokerType":"AzureQueueStorage","AzureQueueStorageConnectionSettings":{"Passwordless":{"Account":"r"}}}""",
        "Account"
    )]
    public async Task A_connection_string_with_a_member_that_it_does_not_have_is_refused_by_the_members_name(string json, string member)
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        var error = await Assert.ThrowsAsync<InvalidConfigurationException>(() => tasks.PutConnectionAsync(Encoding.UTF8.GetBytes(json)));
        Assert.Contains($"'{member}'", error.Message, StringComparison.Ordinal);
        Assert.Empty(tasks.Connections());
    }

    [Fact]
    public async Task Every_member_that_the_protocol_knows_is_taken()
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        await tasks.PutConnectionAsync(
            """
            {"Type":"Queue","Name":"Hook","BrokerType":"None","KafkaConnectionSettings":null,"RabbitMqConnectionSettings":null,"AzureQueueStorageConnectionSettings":null,
             "AmazonSqsConnectionSettings":null,"AzureServiceBusConnectionSettings":null,"WebhookConnectionSettings":{"Url":"http://127.0.0.1:1/"}}
            """u8.ToArray()
        );
        long id = await tasks.PutTaskAsync(
            """
            {"TaskId":0,"Name":"Out","MentorNode":null,"PinToMentorNode":false,"ConnectionStringName":"hook","Disabled":true,"AllowEtlOnNonEncryptedChannel":true,
             "Transforms":[{"Name":"T","Disabled":false,"Collections":["A"],"ApplyToAllDocuments":false,"Script":"loadToA(this)","DocumentIdPostfix":null}],
             "EtlType":"Queue","BrokerType":"None","Queues":[{"Name":"A","DeleteProcessedDocuments":false}],"SkipAutomaticQueueDeclaration":false}
            """u8.ToArray(),
            null
        );
        Assert.Equal(EtlTaskState.Disabled, tasks.Find(id)!.Status.State);
    }

    [Theory]
    [InlineData(
        """{"Type":"Queue","Name":"Hook","BrokerType":"RabbitMq","RabbitMqConnectionSettings":{"ConnectionString":"http://h"}}""",
        "amqp[s]://"
    )]
    [InlineData(
        """{"Type":"Queue","Name":"Hook","BrokerType":"Kafka","KafkaConnectionSettings":{"BootstrapServers":"kafka://h:1"}}""",
        "without a scheme"
    )]
    [InlineData("""{"Type":"Queue","Name":"Hook","BrokerType":"None","WebhookConnectionSettings":{"Url":"ftp://h/"}}""", "http or https")]
    [InlineData(
        """{"Type":"Queue","Name":"Hook","BrokerType":"AzureQueueStorage","AzureQueueStorageConnectionSettings":{}}""",
        "exactly one of"
    )]
    public async Task A_connection_string_that_leads_nowhere_is_stored_and_its_task_says_what_is_wrong(string json, string reason)
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        await tasks.PutConnectionAsync(Encoding.UTF8.GetBytes(json));
        string broker = tasks.Connections()[0].Sink == "Webhook" ? "None" : tasks.Connections()[0].Sink;
        long id = await tasks.PutTaskAsync(
            Encoding.UTF8.GetBytes(
                $$"""{"EtlType":"Queue","BrokerType":"{{broker}}","Name":"Out","ConnectionStringName":"hook","Transforms":[{"Collections":["A"],"Script":"loadToOut(this)"}]}"""
            ),
            null
        );
        await UntilAsync(() => tasks.Find(id)!.Status.State == EtlTaskState.Stopped);
        Assert.Contains(reason, tasks.Find(id)!.Status.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void A_reference_inside_a_longer_text_is_replaced_and_one_that_is_none_is_refused()
    {
        Environment.SetEnvironmentVariable("JACKDAW_ETL_INSIDE", "hush");
        Assert.Equal(
            "amqp://me:hush@h/hush",
            Secrets.Expand("amqp://me:${env:JACKDAW_ETL_INSIDE}@h/${env:JACKDAW_ETL_INSIDE}", UnboundMachineSecrets.Instance)
        );
        Assert.Equal("a$b{c}${other:d}", Secrets.Expand("a$b{c}${other:d}", UnboundMachineSecrets.Instance));
        foreach (string text in new[] { "x${env:JACKDAW_ETL_NOT_SET}", "x${env:}", "x${env:JACKDAW_ETL_INSIDE", "${file:" })
            Assert.Throws<InvalidConfigurationException>(() => Secrets.Expand(text, UnboundMachineSecrets.Instance));
    }

    [Fact]
    public async Task A_position_beyond_the_last_etag_is_refused()
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = Open(scene);
        await tasks.PutConnectionAsync(Connection("http://127.0.0.1:1/"));
        long id = await tasks.PutTaskAsync(Definition(members: "\"Disabled\":true,"), null);
        await scene.PutAsync("users/1", "{}", "Users");
        long last = scene.Database.LastDurableEtag;
        Assert.True(await tasks.SetPositionAsync(id, null, last));
        var error = await Assert.ThrowsAsync<InvalidConfigurationException>(() => tasks.SetPositionAsync(id, null, last + 1));
        Assert.Contains($"{last}", error.Message, StringComparison.Ordinal);
    }
}
