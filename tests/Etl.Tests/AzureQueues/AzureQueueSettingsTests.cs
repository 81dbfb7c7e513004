using System.Text;
using System.Text.Json.Nodes;
using Jackdaw.Etl.Configuration;
using Jackdaw.Scripting;
using Xunit;

namespace Jackdaw.Etl.Tests.AzureQueues;

public class AzureQueueSettingsTests
{
    private const string Key = "aHVzaCwgdGhpcyBpcyB0aGUga2V5";
    private const string Account = $"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={Key};EndpointSuffix=core.windows.net";

    private static readonly ScriptEngine s_engine = new();

    private static byte[] Connection(string settings) =>
        Encoding.UTF8.GetBytes(
            $$"""{"Type":"Queue","Name":"Azure","BrokerType":"AzureQueueStorage","AzureQueueStorageConnectionSettings":{{settings}}}"""
        );

    private static ConnectionString Parse(string settings)
    {
        var connection = ConnectionString.Parse(Connection(settings), _ => null);
        connection.AzureQueues(UnboundMachineSecrets.Instance);
        return connection;
    }

    [Fact]
    public void Every_setting_is_read()
    {
        var settings = Parse(
                $$"""
                {"ConnectionString":"{{Account}}","EntraId":null,"Passwordless":null,"ClaimCheckContainer":"large","TimeToLiveInSec":60,"VisibilityTimeoutInSec":5,"TimeoutInSec":2.5,"MaxConcurrency":3}
                """
            )
            .AzureQueues(UnboundMachineSecrets.Instance);
        Assert.Equal(
            (Account, "large", TimeSpan.FromMinutes(1), TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(2.5), 3),
            (
                settings.ConnectionString,
                settings.ClaimCheckContainer,
                settings.TimeToLive,
                settings.VisibilityTimeout,
                settings.Timeout,
                settings.MaxConcurrency
            )
        );
        settings = Parse("""{"EntraId":{"StorageAccountName":"shop","TenantId":"t","ClientId":"c","ClientSecret":"s"}}""")
            .AzureQueues(UnboundMachineSecrets.Instance);
        Assert.Equal(
            ("shop", "t", "c", "s", null, 16),
            (
                settings.AccountName,
                settings.EntraId!.TenantId,
                settings.EntraId.ClientId,
                settings.EntraId.ClientSecret,
                settings.TimeToLive,
                settings.MaxConcurrency
            )
        );
        settings = Parse("""{"Passwordless":{"StorageAccountName":"shop","ClientId":"c"},"EndpointSuffix":"core.chinacloudapi.cn"}""")
            .AzureQueues(UnboundMachineSecrets.Instance);
        Assert.Equal(
            (true, "shop", "c", "core.chinacloudapi.cn"),
            (settings.IsPasswordless, settings.AccountName, settings.ManagedIdentityClientId, settings.EndpointSuffix)
        );
    }

    [Theory]
    [InlineData("{}", "exactly one of")]
    [InlineData($$"""{"ConnectionString":"{{Account}}","Passwordless":{"StorageAccountName":"shop"} }""", "exactly one of")]
    [InlineData($$"""{"ConnectionString":"amqp://guest:{{Key}}@host/"}""", "not one of an Azure storage account with")]
    [InlineData(
        $$"""{"ConnectionString":"Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=n;SharedAccessKey={{Key}}"}""",
        "not one of an Azure storage account with"
    )]
    [InlineData($$"""{"ConnectionString":"AccountName=shop;AccountKey=no*base64 {{Key}}"}""", "no Base64")]
    [InlineData("""{"ConnectionString":"DefaultEndpointsProtocol=https;AccountName=shop"}""", "with a key or a signature")]
    [InlineData($$"""{"ConnectionString":"QueueEndpoint=somewhere;AccountName=shop;AccountKey={{Key}}"}""", "names no queue endpoint")]
    [InlineData(
        $$"""{"ConnectionString":"QueueEndpoint=https://shop.queue.core.windows.net;SharedAccessSignature=sv=1&sig={{Key}}","ClaimCheckContainer":"large"}""",
        "names no blob endpoint"
    )]
    [InlineData(
        $$"""{"ConnectionString":"BlobEndpoint=https://shop.blob.core.windows.net;SharedAccessSignature=sv=1&sig={{Key}}"}""",
        "names no queue endpoint"
    )]
    [InlineData($$"""{"ConnectionString":"{{Account}}","ClaimCheckContainer":"Large"}""", "no name for a blob container")]
    [InlineData($$"""{"ConnectionString":"{{Account}}","TimeToLiveInSec":0}""", "TimeToLiveInSec")]
    [InlineData($$"""{"ConnectionString":"{{Account}}","TimeToLiveInSec":10,"VisibilityTimeoutInSec":10}""", "VisibilityTimeoutInSec")]
    [InlineData($$"""{"ConnectionString":"{{Account}}","TimeoutInSec":0}""", "TimeoutInSec")]
    [InlineData($$"""{"ConnectionString":"{{Account}}","TimeToLiveInSec":1e300}""", "'TimeToLiveInSec' must be a number of seconds")]
    [InlineData(
        $$"""{"ConnectionString":"{{Account}}","VisibilityTimeoutInSec":1e300}""",
        "'VisibilityTimeoutInSec' must be a number of seconds"
    )]
    [InlineData($$"""{"ConnectionString":"{{Account}}","TimeoutInSec":1e300}""", "'TimeoutInSec' must be a number of seconds")]
    [InlineData($$"""{"ConnectionString":"{{Account}}","MaxConcurrency":1000}""", "MaxConcurrency")]
    [InlineData($$"""{"EntraId":{"StorageAccountName":"shop","TenantId":"t","ClientId":"{{Key}}"} }""", "must have a 'ClientSecret'")]
    [InlineData(
        $$"""{"EntraId":{"StorageAccountName":"the shop","TenantId":"t","ClientId":"c","ClientSecret":"{{Key}}"} }""",
        "StorageAccountName"
    )]
    [InlineData(
        $$"""{"EntraId":{"StorageAccountName":"shop","TenantId":"t","ClientId":"c","ClientSecret":"{{Key}}","AuthorityHost":"http://login.example"} }""",
        "AuthorityHost"
    )]
    [InlineData("""{"Passwordless":{"StorageAccountName":"shop"},"EndpointSuffix":"core/windows"}""", "EndpointSuffix")]
    [InlineData("""{"Passwordless":true}""", "must have an object 'Passwordless'")]
    public void What_cannot_be_is_refused_when_it_is_saved_without_showing_a_secret(string settings, string reason)
    {
        var error = Assert.Throws<InvalidConfigurationException>(() => Parse(settings));
        Assert.Contains(reason, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(Key, error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void Secrets_are_masked_and_may_lie_in_the_environment()
    {
        Environment.SetEnvironmentVariable("JACKDAW_AZURE_TEST", Account);
        Assert.Equal(
            Account,
            Parse("""{"ConnectionString":"${env:JACKDAW_AZURE_TEST}"}""").AzureQueues(UnboundMachineSecrets.Instance).ConnectionString
        );
        string[] secrets =
        [
            $$"""{"ConnectionString":"{{Account}}"}""",
            $$"""{"ConnectionString":"QueueEndpoint=https://shop.queue.core.windows.net/;SharedAccessSignature=sv=2022&ss=q&sig={{Key}}"}""",
            $$"""{"EntraId":{"StorageAccountName":"shop","TenantId":"t","ClientId":"c","ClientSecret":"{{Key}}"} }""",
        ];
        foreach (string settings in secrets)
        {
            var stored = Parse(settings);
            string shown = stored.Masked().ToJsonString();
            Assert.DoesNotContain(Key, shown, StringComparison.Ordinal);
            Assert.Contains("shop", shown, StringComparison.Ordinal);
            var again = ConnectionString.Parse(Encoding.UTF8.GetBytes(shown), _ => stored);
            Assert.True(JsonNode.DeepEquals(JsonNode.Parse(stored.StoredJson.Span), JsonNode.Parse(again.StoredJson.Span)));
        }
    }

    [Fact]
    public async Task A_script_that_names_a_queue_that_cannot_be_is_refused_when_it_is_saved()
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = EtlTasks.Open(scene.Database, s_engine, new EtlOptions());
        await tasks.PutConnectionAsync(Connection($$"""{"ConnectionString":"{{Account}}"}"""));
        byte[] Task(string script, bool skips = false) =>
            Encoding.UTF8.GetBytes(
                $$"""{"EtlType":"Queue","BrokerType":"AzureQueueStorage","Name":"Out","ConnectionStringName":"Azure","Disabled":true,"SkipAutomaticQueueDeclaration":{{(skips ? "true" : "false")}},"Transforms":[{"Name":"T","Collections":["Orders"],"Script":"{{script}}"}]}"""
            );
        var error = await Assert.ThrowsAsync<InvalidConfigurationException>(() =>
            tasks.PutTaskAsync(Task("loadToOrder_Items(this);"), null)
        );
        Assert.Contains(
            "'Order_Items', which is no name for an Azure queue: Azure allows letters of a to z, digits and hyphens, not '_'.",
            error.Message,
            StringComparison.Ordinal
        );
        error = await Assert.ThrowsAsync<InvalidConfigurationException>(() => tasks.PutTaskAsync(Task("loadTo('a', this);"), null));
        Assert.Contains("1 characters", error.Message, StringComparison.Ordinal);
        long id = await tasks.PutTaskAsync(Task("loadToOrders(this);", skips: true), null);
        Assert.True(tasks.Find(id)!.Definition.SkipsQueueDeclaration);
    }
}
