using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json;
using Jackdaw.Tests;

namespace Jackdaw.Acceptance;

/// <summary>Documents with dates over plain HTTP. Whatever comes, nothing goes early and nothing else is lost.</summary>
public sealed class ExpirationWireTests(WireServer server) : IClassFixture<WireServer>
{
    private const string Past = "2020-01-01T00:00:00.0000000Z";
    private const string Future = "2999-01-01T00:00:00.0000000Z";

    [Fact]
    public async Task The_configuration_is_answered_shown_in_the_record_and_in_force()
    {
        var database = await server.NewDatabaseAsync();
        var record = (await RecordAsync(database)).GetRawText();
        Assert.Contains("\"Expiration\":null", record);
        Assert.Contains("\"Refresh\":null", record);
        var answer = await database.SendAsync(
            "POST",
            "/admin/expiration/config?raft-request-id=x",
            """{"disabled":false,"DELETEFREQUENCYINSEC":7,"MaxItemsToProcess":null,"Later":{}}"""
        );
        Assert.Equal(HttpStatusCode.OK, answer.Status);
        Assert.Equal(JsonValueKind.Number, answer.Json.GetProperty("RaftCommandIndex").ValueKind);
        await ConfigureAsync(database, "refresh", """{"Disabled":true,"RefreshFrequencyInSec":3,"MaxItemsToProcess":9}""");
        record = (await RecordAsync(database)).GetRawText();
        Assert.Contains("\"Expiration\":{\"Disabled\":false,\"DeleteFrequencyInSec\":7,\"MaxItemsToProcess\":null}", record);
        Assert.Contains("\"Refresh\":{\"Disabled\":true,\"RefreshFrequencyInSec\":3,\"MaxItemsToProcess\":9}", record);
        // What was read can be written back, changed or not.
        var etag = JsonDocument.Parse(record).RootElement.GetProperty("Etag").GetInt64();
        foreach (var frequency in (int[])[7, 8])
        {
            using var request = new HttpRequestMessage(HttpMethod.Put, $"{server.Url}/admin/databases?name={database.Name}")
            {
                Content = new StringContent(record.Replace("\"DeleteFrequencyInSec\":7", $"\"DeleteFrequencyInSec\":{frequency}")),
            };
            request.Headers.TryAddWithoutValidation("ETag", $"\"{etag}\"");
            var written = await server.Client.SendAsync(request);
            Assert.True(written.IsSuccessStatusCode, await written.Content.ReadAsStringAsync());
            var now = await RecordAsync(database);
            Assert.Equal(frequency, now.GetProperty("Expiration").GetProperty("DeleteFrequencyInSec").GetInt32());
            etag = now.GetProperty("Etag").GetInt64();
        }
    }

    [Fact]
    public async Task A_record_can_disable_the_database_that_it_configures_and_configures_none_that_is_disabled()
    {
        var database = await server.NewDatabaseAsync();
        await PutRecordAsync("\"Disabled\":true,\"Expiration\":{\"Disabled\":true,\"DeleteFrequencyInSec\":4}", HttpStatusCode.Created);
        await PutRecordAsync("\"Expiration\":{\"Disabled\":true,\"DeleteFrequencyInSec\":5}", HttpStatusCode.BadRequest);
        // In memory nothing outlives that.
        await PutRecordAsync("\"Disabled\":false", HttpStatusCode.Created);
        await PutRecordAsync("\"Expiration\":{\"Disabled\":true,\"DeleteFrequencyInSec\":4}", HttpStatusCode.Created);
        Assert.Equal(4, (await RecordAsync(database)).GetProperty("Expiration").GetProperty("DeleteFrequencyInSec").GetInt32());
        await PutRecordAsync("\"Expiration\":{\"DeleteFrequencyInSec\":\"often\"}", HttpStatusCode.BadRequest);
        await PutRecordAsync("\"Expiration\":null,\"Refresh\":{}", HttpStatusCode.Created);
        Assert.Equal(4, (await RecordAsync(database)).GetProperty("Expiration").GetProperty("DeleteFrequencyInSec").GetInt32());

        async Task PutRecordAsync(string members, HttpStatusCode expected)
        {
            var etag = (await RecordAsync(database)).GetProperty("Etag").GetInt64();
            using var request = new HttpRequestMessage(HttpMethod.Put, $"{server.Url}/admin/databases?name={database.Name}")
            {
                Content = new StringContent($"{{\"DatabaseName\":\"{database.Name}\",{members}}}"),
            };
            request.Headers.TryAddWithoutValidation("ETag", $"\"{etag}\"");
            using var answer = await server.Client.SendAsync(request);
            Assert.True(answer.StatusCode == expected, await answer.Content.ReadAsStringAsync());
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("null")]
    [InlineData("[]")]
    [InlineData("true")]
    [InlineData("{")]
    [InlineData("""{"Disabled":"no"}""")]
    [InlineData("""{"DeleteFrequencyInSec":0}""")]
    [InlineData("""{"DeleteFrequencyInSec":-1}""")]
    [InlineData("""{"DeleteFrequencyInSec":1.5}""")]
    [InlineData("""{"DeleteFrequencyInSec":"60"}""")]
    [InlineData("""{"DeleteFrequencyInSec":99999999999}""")]
    [InlineData("""{"DeleteFrequencyInSec":1e300}""")]
    [InlineData("""{"MaxItemsToProcess":0}""")]
    [InlineData("""{"MaxItemsToProcess":[]}""")]
    public async Task A_configuration_that_is_none_is_refused_and_the_former_one_stays(string body)
    {
        var database = await server.NewDatabaseAsync();
        await ConfigureAsync(database, "expiration", """{"Disabled":true,"DeleteFrequencyInSec":5}""");
        var refused = await database.SendAsync("POST", "/admin/expiration/config", body);
        Assert.Equal(HttpStatusCode.BadRequest, refused.Status);
        Assert.Equal(5, (await RecordAsync(database)).GetProperty("Expiration").GetProperty("DeleteFrequencyInSec").GetInt32());
    }

    [Fact]
    public async Task Dates_in_every_form_go_when_they_have_passed_and_stay_when_they_have_not()
    {
        var database = await server.NewDatabaseAsync();
        string[] passed =
        [
            Past,
            "2020-01-01T00:00:00.0000000",
            "2020-01-01",
            "2020-01-01T00:00Z",
            "2020-01-01T00:00:00+14:00",
            "0001-01-01T00:00:00.0000000",
            "0001-01-01T00:00:00+14:00",
            DateTimeOffset.UtcNow.AddHours(-1).ToOffset(TimeSpan.FromHours(5)).ToString("O", CultureInfo.InvariantCulture),
        ];
        string[] ahead =
        [
            Future,
            "9999-12-31T23:59:59.9999999Z",
            "9999-12-31T23:59:59.9999999-14:00",
            "2999-01-01",
            DateTimeOffset.UtcNow.AddHours(1).ToOffset(TimeSpan.FromHours(-5)).ToString("O", CultureInfo.InvariantCulture),
        ];
        for (var i = 0; i < passed.Length; i++)
            await database.PutAsync($"passed/{i}", Document(passed[i]));
        for (var i = 0; i < ahead.Length; i++)
            await database.PutAsync($"ahead/{i}", Document(ahead[i]));
        await ConfigureAsync(database, "expiration", """{"Disabled":false,"DeleteFrequencyInSec":1}""");
        await Eventually.IsAsync(async () => await CountAsync(database) == ahead.Length);
        for (var i = 0; i < ahead.Length; i++)
            Assert.Equal(
                ahead[i],
                (await database.DocumentAsync($"ahead/{i}")).GetProperty("@metadata").GetProperty("@expires").GetString()
            );
        var shown = (await database.GetAsync("/debug/expiration")).Json.GetProperty("Expiration");
        Assert.Equal((passed.Length, ahead.Length), (shown.GetProperty("Processed").GetInt32(), shown.GetProperty("Waiting").GetInt32()));
        Assert.Equal(0, shown.GetProperty("OverdueInSec").GetDouble());
    }

    [Theory]
    [InlineData("\"tomorrow\"")]
    [InlineData("\"\"")]
    [InlineData("1763848673")]
    [InlineData("[\"2020-01-01\"]")]
    [InlineData("{}")]
    [InlineData("false")]
    [InlineData("\"2020-02-30T00:00:00Z\"")]
    public async Task What_is_no_date_is_refused_in_each_way_of_writing_and_nothing_of_the_request_is_kept(string value)
    {
        var database = await server.NewDatabaseAsync();
        await ConfigureAsync(database, "expiration", """{"Disabled":false,"DeleteFrequencyInSec":1}""");
        await database.PutAsync("a", """{"n":1}""");
        var document = $$$"""{"n":2,"@metadata":{"@expires":{{{value}}}}}""";
        Require(await database.SendAsync("PUT", "/docs?id=a", document));
        var batch = await database.SendAsync(
            "POST",
            "/bulk_docs",
            $$$"""{"Commands":[{"Id":"b","Type":"PUT","Document":{}},{"Id":"a","Type":"PUT","Document":{{{document}}}}]}"""
        );
        Require(batch);
        Assert.Contains("Document 'a' is refused", batch.Text);
        Require(
            await database.SendAsync(
                "PATCH",
                "/docs?id=a",
                $$$$"""{"Patch":{"Script":"this['@metadata']['@expires'] = args.value","Values":{"value":{{{{value}}}}}}}"""
            )
        );
        Require(await database.SendAsync("POST", "/bulk_insert?id=7", $$$"""[{"Id":"a","Type":"PUT","Document":{{{document}}}}]"""));
        Assert.Equal(1, (await database.DocumentAsync("a")).GetProperty("n").GetInt32());
        Assert.Equal(1, await CountAsync(database));

        static void Require(WireAnswer answer)
        {
            Assert.Equal(HttpStatusCode.BadRequest, answer.Status);
            Assert.Contains("@expires", answer.Text);
            Assert.Contains("BadRequestException", answer.Text);
        }
    }

    [Fact]
    public async Task A_date_that_changes_thousands_of_times_beside_passes_ends_where_it_was_left()
    {
        var database = await server.NewDatabaseAsync();
        await ConfigureAsync(database, "expiration", """{"Disabled":false,"DeleteFrequencyInSec":1}""");
        await ConfigureAsync(database, "refresh", """{"Disabled":false,"RefreshFrequencyInSec":1}""");
        const int Writers = 4;
        const int Rounds = 40;
        await Task.WhenAll(Enumerable.Range(0, Writers).Select(WriteAsync));
        // Everything was left with a date ahead, or with none, or was left to go.
        await Eventually.IsAsync(async () => await CountAsync(database) == Writers * 20);
        var shown = (await database.GetAsync("/debug/expiration")).Json;
        Assert.Equal(Writers * 10, shown.GetProperty("Expiration").GetProperty("Waiting").GetInt32());
        await Eventually.IsAsync(async () =>
            (await database.GetAsync("/debug/expiration")).Json.GetProperty("Refresh").GetProperty("Waiting").GetInt32() == 0
        );

        async Task WriteAsync(int writer)
        {
            for (var round = 0; round < Rounds; round++)
            {
                var commands = new StringBuilder();
                for (var i = 0; i < 30; i++)
                {
                    var isLast = round == Rounds - 1;
                    var metadata = (isLast ? i / 10 : (i + round + writer) % 4) switch
                    {
                        0 => $"\"@expires\":\"{Future}\",\"@refresh\":\"{Past}\"",
                        1 => "\"a\":1",
                        2 => $"\"@expires\":\"{Past}\"",
                        _ => $"\"@refresh\":\"{Past}\",\"@expires\":\"{Past}\"",
                    };
                    commands.Append(i == 0 ? "" : ",");
                    commands.Append($$$$"""{"Id":"d/{{{{writer}}}}/{{{{i}}}}","Type":"PUT","Document":{"@metadata":{{{{{metadata}}}}}}}""");
                }
                var answer = await database.SendAsync("POST", "/bulk_docs", $$"""{"Commands":[{{commands}}]}""");
                Assert.Equal(HttpStatusCode.Created, answer.Status);
            }
        }
    }

    [Fact]
    public async Task Whoever_expected_the_version_that_has_expired_or_was_refreshed_gets_a_conflict()
    {
        var database = await server.NewDatabaseAsync();
        await ConfigureAsync(database, "expiration", """{"Disabled":false,"DeleteFrequencyInSec":1}""");
        await ConfigureAsync(database, "refresh", """{"Disabled":false,"RefreshFrequencyInSec":1}""");
        foreach (var member in (string[])["@expires", "@refresh"])
        {
            var version = await database.PutAsync("a", $$$"""{"@metadata":{"{{{member}}}":"{{{Past}}}"}}""");
            await Eventually.IsAsync(async () =>
            {
                var read = await database.GetAsync("/docs?id=a");
                return read.Status == HttpStatusCode.NotFound || !read.Text.Contains(version, StringComparison.Ordinal);
            });
            var late = await database.SendAsync("PUT", "/docs?id=a", "{}", ("If-Match", $"\"{version}\""));
            Assert.Equal(HttpStatusCode.Conflict, late.Status);
        }
        // A version without a date is nobody's to take.
        await database.PutAsync("a", """{"kept":true}""");
        await Task.Delay(1500);
        Assert.True((await database.DocumentAsync("a")).GetProperty("kept").GetBoolean());
    }

    [Fact]
    public async Task Metrics_tell_how_many_went_and_how_many_wait()
    {
        var database = await server.NewDatabaseAsync();
        await database.PutAsync("ahead", Document(Future));
        await database.PutAsync("passed", Document(Past));
        await ConfigureAsync(database, "expiration", """{"Disabled":false}""");
        await Eventually.IsAsync(async () => await CountAsync(database) == 1);
        var metrics = await server.Client.GetStringAsync($"{server.Url}/metrics");
        Assert.Contains($"jackdaw_expiration_documents_total{{database=\"{database.Name}\"}} 1\n", metrics);
        Assert.Contains($"jackdaw_expiration_waiting{{database=\"{database.Name}\"}} 1\n", metrics);
        Assert.Contains($"jackdaw_expiration_overdue_seconds{{database=\"{database.Name}\"}} 0\n", metrics);
        Assert.DoesNotContain($"jackdaw_refresh_waiting{{database=\"{database.Name}\"}}", metrics);
    }

    private static string Document(string date) => $$$"""{"@metadata":{"@collection":"Guests","@expires":"{{{date}}}"}}""";

    private static async Task ConfigureAsync(WireDatabase database, string what, string body) =>
        Assert.Equal(HttpStatusCode.OK, (await database.SendAsync("POST", $"/admin/{what}/config", body)).Status);

    private static async Task<long> CountAsync(WireDatabase database) =>
        (await database.GetAsync("/stats")).Json.GetProperty("CountOfDocuments").GetInt64();

    private async Task<JsonElement> RecordAsync(WireDatabase database) =>
        JsonDocument.Parse(await server.Client.GetStringAsync($"{server.Url}/admin/databases?name={database.Name}")).RootElement;
}
