using System.Net;
using System.Text.Json;

namespace Jackdaw.Acceptance;

/// <summary>Database records over the wire: what the server does is stored, the rest is refused, and no client reads a null map.</summary>
public sealed class DatabaseRecordWireTests(WireServer server) : IClassFixture<WireServer>
{
    [Fact]
    public async Task A_record_has_the_defaults_that_clients_need_whatever_nulls_a_client_sent()
    {
        await PutAsync(
            "defaults",
            """{"DatabaseName":"defaults","Settings":null,"Indexes":null,"AutoIndexes":null,"LockMode":null,"PeriodicBackups":null}"""
        );
        foreach (var path in new[] { "/admin/databases?name=defaults", "/databases/defaults/admin/record" })
        {
            var record = await RecordAsync(path);
            Assert.Equal("Unlock", record.GetProperty("LockMode").GetString());
            Assert.Equal("Normal", record.GetProperty("DatabaseState").GetString());
            Assert.False(record.GetProperty("Encrypted").GetBoolean());
            foreach (var map in "AutoIndexes Indexes Settings Sorters Analyzers RollingIndexes RavenConnectionStrings".Split(' '))
                Assert.Equal("{}", record.GetProperty(map).GetRawText());
            foreach (var list in "PeriodicBackups ExternalReplications HubPullReplications RavenEtls QueueSinks".Split(' '))
                Assert.Equal("[]", record.GetProperty(list).GetRawText());
            foreach (var none in "Revisions Expiration Refresh TimeSeries Client Studio DocumentsCompression".Split(' '))
                Assert.Equal(JsonValueKind.Null, record.GetProperty(none).ValueKind);
        }
    }

    [Fact]
    public async Task A_record_that_was_read_can_be_written_back()
    {
        await PutAsync("back", """{"DatabaseName":"back","Settings":{"A.B":"1"}}""");
        var record = await RecordAsync("/admin/databases?name=back");
        var answer = await SendAsync("back", record.GetRawText(), record.GetProperty("Etag").GetInt64());
        Assert.True(answer.IsSuccessStatusCode, await answer.Content.ReadAsStringAsync());
        var after = await RecordAsync("/admin/databases?name=back");
        Assert.Equal("""{"A.B":"1"}""", after.GetProperty("Settings").GetRawText());
        Assert.Equal(record.EnumerateObject().Select(member => member.Name), after.EnumerateObject().Select(member => member.Name));
    }

    [Theory]
    [InlineData("Encrypted", "true")]
    [InlineData("Revisions", """{"Default":{"Disabled":false},"Collections":{}}""")]
    [InlineData("DataArchival", """{"Disabled":false}""")]
    [InlineData("Indexes", """{"I":{"Name":"I","Maps":["map('Users', u => ({ name: u.name }))"]}}""")]
    [InlineData("DocumentsCompression", """{"CompressAllCollections":true}""")]
    [InlineData("LockMode", "\"PreventDeletesError\"")]
    [InlineData("TimeSeries", """{"Collections":{"Users":{}}}""")]
    [InlineData("PeriodicBackups", """[{"Name":"b"}]""")]
    [InlineData("RavenEtls", """[{"Name":"r"}]""")]
    [InlineData("Client", """{"Disabled":false,"MaxNumberOfRequestsPerSession":5}""")]
    [InlineData("Sharding", """{"Shards":{"0":{}}}""")]
    [InlineData("Topology", """{"Members":["A","B"],"ReplicationFactor":2}""")]
    [InlineData("NoMemberOfTheProtocol", "\"x\"")]
    public async Task What_a_record_asks_for_and_the_server_does_not_do_is_refused(string member, string value)
    {
        var name = "refused" + member;
        var created = await SendAsync(name, $$"""{"DatabaseName":"{{name}}","{{member}}":{{value}}}""");
        await RequireRefusalAsync(created, member);
        Assert.Equal(HttpStatusCode.NotFound, (await server.Client.GetAsync($"{server.Url}/admin/databases?name={name}")).StatusCode);
        await PutAsync(name, $$"""{"DatabaseName":"{{name}}"}""");
        var etag = (await RecordAsync($"/admin/databases?name={name}")).GetProperty("Etag").GetInt64();
        await RequireRefusalAsync(await SendAsync(name, $$"""{"DatabaseName":"{{name}}","{{member}}":{{value}}}""", etag), member);
        Assert.Equal(etag, (await RecordAsync($"/admin/databases?name={name}")).GetProperty("Etag").GetInt64());
    }

    [Theory]
    [InlineData("Encrypted", "false")]
    [InlineData("Revisions", "null")]
    [InlineData("Revisions", "{}")]
    [InlineData("Revisions", """{"Default":null,"Collections":{}}""")]
    [InlineData("Indexes", "{}")]
    [InlineData("LockMode", "\"Unlock\"")]
    [InlineData("DatabaseState", "\"Normal\"")]
    [InlineData("DocumentsCompression", """{"Collections":[],"CompressRevisions":false,"CompressAllCollections":false}""")]
    [InlineData("ConflictSolverConfig", """{"ResolveByCollection":{},"ResolveToLatest":true}""")]
    [InlineData("Studio", """{"Disabled":false,"Environment":"None"}""")]
    [InlineData("EtagForBackup", "0")]
    [InlineData("UnusedDatabaseIds", "[]")]
    [InlineData("DatabaseTopology", """{"Members":null,"ReplicationFactor":1}""")]
    public async Task What_a_record_says_that_changes_nothing_is_taken(string member, string value)
    {
        var name = "taken" + member + value.Length;
        await PutAsync(name, $$"""{"DatabaseName":"{{name}}","{{member}}":{{value}}}""");
    }

    [Fact]
    public async Task Disabled_in_a_record_is_obeyed_when_creating_and_when_updating()
    {
        await PutAsync("off", """{"DatabaseName":"off","Disabled":true}""");
        await RequireDisabledAsync(true);
        await UpdateAsync("""{"DatabaseName":"off","Disabled":false}""");
        await RequireDisabledAsync(false);
        await UpdateAsync("""{"DatabaseName":"off","Settings":{"a":"b"},"Disabled":true}""");
        await RequireDisabledAsync(true);
        // Not named, not changed.
        await UpdateAsync("""{"DatabaseName":"off"}""");
        await RequireDisabledAsync(true);
        var wrong = await SendAsync("wrong", """{"DatabaseName":"wrong","Disabled":"yes"}""");
        Assert.Equal(HttpStatusCode.BadRequest, wrong.StatusCode);

        async Task UpdateAsync(string record)
        {
            var etag = (await RecordAsync("/admin/databases?name=off")).GetProperty("Etag").GetInt64();
            var answer = await SendAsync("off", record, etag);
            Assert.True(answer.IsSuccessStatusCode, await answer.Content.ReadAsStringAsync());
        }

        async Task RequireDisabledAsync(bool disabled)
        {
            Assert.Equal(disabled, (await RecordAsync("/admin/databases?name=off")).GetProperty("Disabled").GetBoolean());
            var read = await server.Client.GetAsync($"{server.Url}/databases/off/docs?id=x");
            Assert.Equal(disabled ? HttpStatusCode.ServiceUnavailable : HttpStatusCode.NotFound, read.StatusCode);
        }
    }

    private async Task PutAsync(string name, string record)
    {
        using var answer = await SendAsync(name, record);
        Assert.True(answer.StatusCode == HttpStatusCode.Created, await answer.Content.ReadAsStringAsync());
    }

    private async Task<HttpResponseMessage> SendAsync(string name, string record, long? etag = null)
    {
        using var request = new HttpRequestMessage(HttpMethod.Put, $"{server.Url}/admin/databases?name={name}")
        {
            Content = new StringContent(record),
        };
        if (etag is not null)
            request.Headers.TryAddWithoutValidation("ETag", $"\"{etag}\"");
        return await server.Client.SendAsync(request);
    }

    private async Task<JsonElement> RecordAsync(string path) =>
        JsonDocument.Parse(await server.Client.GetStringAsync(server.Url + path)).RootElement;

    private static async Task RequireRefusalAsync(HttpResponseMessage answer, string member)
    {
        var text = await answer.Content.ReadAsStringAsync();
        Assert.True(answer.StatusCode == HttpStatusCode.NotImplemented, text);
        Assert.Contains($"'{member}'", JsonDocument.Parse(text).RootElement.GetProperty("Message").GetString(), StringComparison.Ordinal);
    }
}
