using System.Collections.Concurrent;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Webhook;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class WebhookTests
{
    private static readonly byte[] s_secret = Enumerable.Range(0, 32).Select(i => (byte)i).ToArray();

    private static Task Say(HttpListenerContext context, int status)
    {
        context.Response.StatusCode = status;
        return Task.CompletedTask;
    }

    private static async Task StartAsync(Scene scene, string url, string script = "loadToOrders(this);", TimeSpan? timeout = null)
    {
        var settings = new WebhookSettings
        {
            Url = url,
            Secret = "whsec_" + Convert.ToBase64String(s_secret),
            Timeout = timeout ?? Eventually.Patience,
        };
        await scene.StartAsync(Scene.Configuration(Scene.Transform(script)), new WebhookSink(settings, scene.Clock));
    }

    [Fact]
    public async Task A_document_arrives_as_a_signed_structured_CloudEvent()
    {
        await using var endpoint = new WebhookEndpoint((_, context) => Say(context, 204));
        await using var scene = await Scene.OpenAsync();
        string changeVector = await scene.PutAsync("orders/1", """{"name":"Ödön \"the\" 2nd","n":12.50}""");
        await StartAsync(scene, endpoint.Url + "{target}", "loadTo('a b/c', this);");
        scene.RunToRest();
        var request = Assert.Single(endpoint.Requests);
        Assert.Equal("/hook/a%20b%2Fc", request.Path);
        Assert.StartsWith("application/cloudevents+json", request.ContentType, StringComparison.Ordinal);
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
                "a b/c",
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
            }.Select(name => request.Event.GetProperty(name).GetString())
        );
        Assert.Equal(1, request.Event.GetProperty("attempt").GetInt32());
        Assert.Equal("Ödön \"the\" 2nd", request.Event.GetProperty("data").GetProperty("name").GetString());
        Assert.Equal(scene.Clock.GetUtcNow().ToUnixTimeSeconds(), long.Parse(request.Header("webhook-timestamp")));
        string signed = $"{request.Header("webhook-id")}.{request.Header("webhook-timestamp")}.{Encoding.UTF8.GetString(request.Body)}";
        Assert.Equal(
            "v1," + Convert.ToBase64String(HMACSHA256.HashData(s_secret, Encoding.UTF8.GetBytes(signed))),
            request.Header("webhook-signature")
        );
        Assert.Equal(1, scene.StoredPosition());
    }

    [Fact]
    public async Task A_document_whose_id_has_control_characters_arrives_as_any_other()
    {
        const string Id = "orders/1\u0001\n\u0085";
        await using var endpoint = new WebhookEndpoint((_, context) => Say(context, 204));
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync(Id, "{}");
        await StartAsync(scene, endpoint.Url, "loadToOrders({ id: id() });");
        scene.RunToRest();
        var request = Assert.Single(endpoint.Requests);
        Assert.Equal(Id, request.Event.GetProperty("subject").GetString());
        Assert.Equal(Id, request.Event.GetProperty("partitionkey").GetString());
        Assert.Equal(Id, request.Event.GetProperty("data").GetProperty("id").GetString());
        Assert.Equal(1, scene.StoredPosition());
    }

    [Theory]
    [InlineData(200, EtlTaskState.Idle, 0)]
    [InlineData(202, EtlTaskState.Idle, 0)]
    [InlineData(400, EtlTaskState.Idle, 1)]
    [InlineData(413, EtlTaskState.Idle, 1)]
    [InlineData(422, EtlTaskState.Idle, 1)]
    [InlineData(429, EtlTaskState.Waiting, 0)]
    [InlineData(500, EtlTaskState.Waiting, 0)]
    [InlineData(503, EtlTaskState.Waiting, 0)]
    [InlineData(302, EtlTaskState.Stopped, 0)]
    [InlineData(401, EtlTaskState.Stopped, 0)]
    [InlineData(404, EtlTaskState.Stopped, 0)]
    [InlineData(410, EtlTaskState.Stopped, 0)]
    [InlineData(406, EtlTaskState.Idle, 1)]
    [InlineData(409, EtlTaskState.Idle, 1)]
    [InlineData(414, EtlTaskState.Idle, 1)]
    [InlineData(415, EtlTaskState.Idle, 1)]
    [InlineData(431, EtlTaskState.Idle, 1)]
    [InlineData(408, EtlTaskState.Waiting, 0)]
    [InlineData(425, EtlTaskState.Waiting, 0)]
    [InlineData(403, EtlTaskState.Stopped, 0)]
    [InlineData(405, EtlTaskState.Stopped, 0)]
    [InlineData(418, EtlTaskState.Stopped, 0)]
    public async Task An_answer_is_the_fault_of_message_sink_or_task(int status, EtlTaskState state, int deadLetters)
    {
        await using var endpoint = new WebhookEndpoint(
            (_, context) =>
            {
                if (status == 302)
                    context.Response.RedirectLocation = "/elsewhere";
                return Say(context, status);
            }
        );
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await StartAsync(scene, endpoint.Url);
        while (scene.Task.RunStep() == TimeSpan.Zero) { }
        Assert.Equal((state, deadLetters), (scene.Task.State, scene.DeadLetters().Length));
        Assert.Equal(state == EtlTaskState.Idle, scene.StoredPosition() > 0);
        if (state != EtlTaskState.Idle)
            Assert.Contains($"answered {status}", scene.Task.Status().Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_endpoint_is_named_by_its_host_for_the_path_may_be_the_secret()
    {
        await using var endpoint = new WebhookEndpoint((_, context) => Say(context, 404));
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await StartAsync(scene, endpoint.Url.TrimEnd('/') + "/T0/s3cret?key=s3cret");
        scene.Task.RunStep();
        Assert.Contains("answered 404", scene.Task.Status().Reason, StringComparison.Ordinal);
        Assert.DoesNotContain("s3cret", scene.Task.Status().Reason, StringComparison.Ordinal);
        var refusal = Assert.Throws<InvalidConfigurationException>(() =>
            new WebhookSettings { Url = "ftp://user:s3cret@host/" }.Validate()
        );
        Assert.DoesNotContain("s3cret", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_target_that_makes_no_address_is_a_dead_letter()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await scene.StartAsync(
            Scene.Configuration(Scene.Transform("loadTo('a b', {});")),
            new WebhookSink(new WebhookSettings { Url = "http://{target}.localhost/" }, TimeProvider.System)
        );
        scene.RunToRest();
        Assert.Contains("is no address", Assert.Single(scene.DeadLetters()), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("..")]
    [InlineData(".")]
    public async Task A_target_of_dots_climbs_no_path_but_is_a_dead_letter(string target)
    {
        await using var endpoint = new WebhookEndpoint((_, context) => Say(context, 200));
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await scene.StartAsync(
            Scene.Configuration(Scene.Transform($"loadTo('{target}', {{}});")),
            new WebhookSink(new WebhookSettings { Url = endpoint.Url + "inner/{target}" }, TimeProvider.System)
        );
        scene.RunToRest();
        Assert.Empty(endpoint.Requests.Select(request => request.Path));
        Assert.Contains("would lead to another path", Assert.Single(scene.DeadLetters()), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_pause_that_an_endpoint_asks_for_is_kept()
    {
        await using var endpoint = new WebhookEndpoint(
            (_, context) =>
            {
                context.Response.Headers["Retry-After"] = "77";
                return Say(context, 503);
            }
        );
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await StartAsync(scene, endpoint.Url);
        Assert.Equal(TimeSpan.FromSeconds(77), scene.Task.RunStep());
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_cut_connection_and_a_missing_answer_bring_the_message_again_under_the_same_id_and_lose_none()
    {
        var random = new Random(5);
        await using var endpoint = new WebhookEndpoint(
            async (request, context) =>
            {
                int what;
                lock (random)
                    what = random.Next(12);
                if (what == 0)
                    context.Response.Abort();
                else if (what == 1)
                    await Task.Delay(TimeSpan.FromSeconds(4));
                else
                    await Say(context, what == 2 ? 503 : 200);
            }
        );
        await using var scene = await Scene.OpenAsync();
        for (int i = 0; i < 60; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        await StartAsync(scene, endpoint.Url, timeout: TimeSpan.FromSeconds(3));
        scene.RunToRest();
        Assert.Empty(scene.DeadLetters());
        Assert.Equal(60, scene.StoredPosition());
        var copies = endpoint.Requests.GroupBy(request => request.Event.GetProperty("subject").GetString()).ToArray();
        Assert.Equal(60, copies.Length);
        Assert.Contains(copies, group => group.Count() > 1);
        Assert.All(
            copies,
            group =>
            {
                Assert.Single(group.Select(request => (request.Id, request.Header("webhook-id"))).Distinct());
                // Some attempts may have ended before they reached the endpoint, and it may come to one that was given up after
                // the one that followed.
                var attempts = group.Select(request => request.Event.GetProperty("attempt").GetInt32()).ToArray();
                Assert.Equal(attempts.Distinct(), attempts);
            }
        );
    }

    [Fact]
    public async Task Several_requests_are_on_the_way_at_once_but_never_two_of_one_key()
    {
        var busy = new ConcurrentDictionary<string, bool>();
        var seen = new ConcurrentDictionary<string, long>();
        int atOnce = 0,
            most = 0,
            collisions = 0,
            backwards = 0;
        await using var endpoint = new WebhookEndpoint(
            async (request, context) =>
            {
                if (!busy.TryAdd(request.Key, true))
                    Interlocked.Increment(ref collisions);
                long etag = long.Parse(request.Event.GetProperty("etag").GetString()!);
                if (seen.TryGetValue(request.Key, out long before) && before > etag)
                    Interlocked.Increment(ref backwards);
                seen[request.Key] = etag;
                int now = Interlocked.Increment(ref atOnce);
                lock (busy)
                    most = Math.Max(most, now);
                await Task.Delay(15);
                Interlocked.Decrement(ref atOnce);
                busy.TryRemove(request.Key, out _);
                await Say(context, 200);
            }
        );
        await using var scene = await Scene.OpenAsync();
        for (int i = 0; i < 60; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        await StartAsync(scene, endpoint.Url, "loadToOrders(this, { PartitionKey: 'k' + this.n % 6 });");
        scene.RunToRest();
        Assert.Equal(60, endpoint.Requests.Count);
        Assert.Equal((0, 0), (collisions, backwards));
        Assert.InRange(most, 2, 6);
    }

    [Fact]
    public async Task A_task_that_is_closed_in_the_middle_of_a_batch_sends_nothing_twice()
    {
        using var arrived = new SemaphoreSlim(0);
        await using var endpoint = new WebhookEndpoint(
            async (request, context) =>
            {
                arrived.Release();
                await Task.Delay(Random.Shared.Next(5, 40));
                await Say(context, 200);
            }
        );
        await using var scene = await Scene.OpenAsync();
        for (int i = 0; i < 200; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        var configuration = Scene.Configuration(Scene.Transform("loadToOrders(this, { PartitionKey: 'k' + this.n % 7 });"));
        using var engine = new Scripting.ScriptEngine();
        int rounds = 0;
        for (; endpoint.Requests.Count < 200; rounds++)
        {
            // Patient, or what a machine that stands still holds up would be given up, and sent again by the next one.
            var sink = new WebhookSink(new WebhookSettings { Url = endpoint.Url, Timeout = Eventually.Patience }, TimeProvider.System);
            var task = new Running.EtlTask(
                configuration,
                scene.Database,
                engine,
                sink,
                new EtlOptions { Limits = EtlLimits.Default with { CloseGrace = Eventually.Patience } }
            );
            await using var thread = new Running.EtlTaskThread(task, scene.Database, "out");
            for (int i = 0; i < 30 && endpoint.Requests.Count < 200; i++)
                await arrived.WaitAsync(Eventually.Patience);
        }
        Assert.True(rounds > 2);
        Assert.Equal(200, endpoint.Requests.Select(request => request.Id).Distinct().Count());
        Assert.Equal(200, endpoint.Requests.Count);
    }

    [Fact]
    public async Task An_endpoint_that_is_not_there_is_waited_for()
    {
        string url;
        await using (var gone = new WebhookEndpoint((_, context) => Say(context, 200)))
            url = gone.Url;
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await StartAsync(scene, url);
        Assert.NotEqual(TimeSpan.Zero, scene.Task.RunStep());
        Assert.Equal(EtlTaskState.Waiting, scene.Task.State);
        Assert.Contains("cannot be reached", scene.Task.Status().Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_untrusted_certificate_stops_the_task()
    {
        await using var endpoint = new WebhookEndpoint((_, context) => Say(context, 200));
        await using var secure = TlsTerminator.Start(new Uri(endpoint.Url).Port, "localhost");
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await StartAsync(scene, $"https://localhost:{secure.Port}/hook/");
        scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, scene.Task.State);
        Assert.Contains("certificate", scene.Task.Status().Reason, StringComparison.Ordinal);
        Assert.Empty(endpoint.Requests);
    }

    [Theory]
    [InlineData("ftp://example.org/", null)]
    [InlineData("/relative", null)]
    [InlineData("http://user:word@example.org/", null)]
    [InlineData("http://example.org/", "whsec_c2hvcnQ=")]
    [InlineData("http://example.org/", "no-prefix-but-secret")]
    public void Settings_that_cannot_be_are_refused_without_showing_the_secret(string url, string? secret)
    {
        var error = Assert.Throws<InvalidConfigurationException>(() => new WebhookSettings { Url = url, Secret = secret }.Validate());
        if (secret is not null)
            Assert.DoesNotContain(secret[6..], error.Message, StringComparison.Ordinal);
    }
}
