using System.Globalization;
using System.Net;
using Azure.Core;
using Jackdaw.Etl.AzureIdentity;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests.AzureIdentity;

public class AccessTokensTests
{
    private const string Resource = "https://storage.azure.com";
    private const string Secret = "hush/+=& hush";

    private readonly ManualClock _clock = new();
    private int _asked;

    /// <summary>A token that ends an hour from now, with the number of the request in it.</summary>
    private string Token(string member = "expires_in", bool asText = false)
    {
        string number =
            member == "expires_in" ? "3600" : _clock.GetUtcNow().AddHours(1).ToUnixTimeSeconds().ToString(CultureInfo.InvariantCulture);
        return $$"""{"token_type":"Bearer","{{member}}":{{(asText ? $"\"{number}\"" : number)}},"access_token":"token {{Interlocked.Increment(ref _asked)}}"}""";
    }

    private ClientSecretTokens Application(HttpStub stub) =>
        new(
            new EntraIdSettings
            {
                TenantId = "the tenant",
                ClientId = "client-1",
                ClientSecret = Secret,
                AuthorityHost = stub.Url.ToString(),
            },
            _clock
        );

    [Fact]
    public async Task An_applications_token_is_asked_for_with_its_id_and_secret()
    {
        await using var stub = new HttpStub((_, _, response) => HttpStub.SayAsync(response, 200, Token()));
        using var tokens = Application(stub);
        var token = await new AccessTokenCredential(tokens).GetTokenAsync(new TokenRequestContext([Resource + "/.default"]), default);
        Assert.Equal(("token 1", _clock.GetUtcNow().AddHours(1)), (token.Token, token.ExpiresOn));
        var (method, path, body) = Assert.Single(stub.Requests);
        Assert.Equal(("POST", "/the%20tenant/oauth2/v2.0/token"), (method, path));
        var form = body.Split('&').Select(pair => pair.Split('=')).ToDictionary(pair => pair[0], pair => WebUtility.UrlDecode(pair[1]));
        Assert.Equal(
            ("client_credentials", "client-1", Secret, Resource + "/.default"),
            (form["grant_type"], form["client_id"], form["client_secret"], form["scope"])
        );
    }

    [Fact]
    public async Task A_machines_token_is_asked_for_at_the_metadata_service()
    {
        string? header = null;
        await using var stub = new HttpStub(
            (request, _, response) =>
            {
                header = request.Headers["Metadata"];
                return HttpStub.SayAsync(response, 200, Token("expires_on", asText: true));
            }
        );
        using var tokens = new ManagedIdentityTokens(
            ManagedIdentityEndpoint.Machine(new Uri(stub.Url, "metadata/identity/oauth2/token")),
            "mine",
            _clock
        );
        var grant = await tokens.GetAsync(Resource, default);
        Assert.Equal(_clock.GetUtcNow().AddHours(1), grant.ExpiresOn);
        Assert.Equal(
            ("GET", "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fstorage.azure.com&client_id=mine"),
            stub.Requests.Select(request => (request.Method, request.Path)).Single()
        );
        Assert.Equal("true", header);
    }

    [Fact]
    public async Task An_apps_token_is_asked_for_where_its_environment_says()
    {
        string? header = null;
        await using var stub = new HttpStub(
            (request, _, response) =>
            {
                header = request.Headers["X-IDENTITY-HEADER"];
                return HttpStub.SayAsync(response, 200, Token("expires_on"));
            }
        );
        var environment = new Dictionary<string, string>
        {
            ["IDENTITY_ENDPOINT"] = new Uri(stub.Url, "msi/token").ToString(),
            ["IDENTITY_HEADER"] = "the header",
        };
        using var tokens = new ManagedIdentityTokens(ManagedIdentityEndpoint.Find(environment.GetValueOrDefault), null, _clock);
        Assert.Equal("token 1", (await tokens.GetAsync(Resource, default)).Token);
        Assert.Equal("/msi/token?api-version=2019-08-01&resource=https%3A%2F%2Fstorage.azure.com", Assert.Single(stub.Requests).Path);
        Assert.Equal("the header", header);
        Assert.Equal("http://169.254.169.254/metadata/identity/oauth2/token", ManagedIdentityEndpoint.Find(_ => null).Address.ToString());
        environment["IDENTITY_ENDPOINT"] = "nowhere";
        Assert.Throws<InvalidConfigurationException>(() => ManagedIdentityEndpoint.Find(environment.GetValueOrDefault));
    }

    [Fact]
    public async Task A_token_is_kept_until_shortly_before_its_end_and_asked_for_once_by_many()
    {
        await using var stub = new HttpStub(
            async (_, _, response) =>
            {
                await Task.Delay(50);
                await HttpStub.SayAsync(response, 200, Token());
            }
        );
        using var tokens = Application(stub);
        var first = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => tokens.GetAsync(Resource, default)));
        Assert.All(first, grant => Assert.Equal("token 1", grant.Token));
        _clock.Advance(TimeSpan.FromMinutes(54));
        Assert.Equal("token 1", (await tokens.GetAsync(Resource, default)).Token);
        Assert.Equal("token 2", (await tokens.GetAsync("https://elsewhere.example", default)).Token);
        _clock.Advance(TimeSpan.FromMinutes(2));
        Assert.Equal("token 3", (await tokens.GetAsync(Resource, default)).Token);
        Assert.Equal(3, stub.Requests.Count);
    }

    [Theory]
    [InlineData(true, 400, SinkFault.Task)]
    [InlineData(true, 401, SinkFault.Task)]
    [InlineData(true, 404, SinkFault.Task)]
    [InlineData(true, 429, SinkFault.Sink)]
    [InlineData(true, 503, SinkFault.Sink)]
    [InlineData(false, 400, SinkFault.Task)]
    [InlineData(false, 403, SinkFault.Task)]
    [InlineData(false, 404, SinkFault.Sink)]
    [InlineData(false, 410, SinkFault.Sink)]
    [InlineData(false, 500, SinkFault.Sink)]
    public async Task A_refusal_is_the_fault_of_task_or_sink_and_is_not_kept(bool application, int status, object fault)
    {
        int answer = status;
        await using var stub = new HttpStub(
            (_, _, response) =>
            {
                response.Headers["Retry-After"] = "7";
                return HttpStub.SayAsync(
                    response,
                    answer,
                    answer == 200
                        ? Token()
                        : """{"error":"invalid_client","error_description":"AADSTS7000215: No such secret.\r\nTrace ID: 1"}"""
                );
            }
        );
        using AccessTokens tokens = application
            ? Application(stub)
            : new ManagedIdentityTokens(ManagedIdentityEndpoint.Machine(stub.Url), null, _clock);
        var error = await Assert.ThrowsAsync<SinkException>(() => tokens.GetAsync(Resource, default));
        Assert.Equal(fault, error.Fault);
        Assert.EndsWith($"answered {status}: AADSTS7000215: No such secret.", error.Message, StringComparison.Ordinal);
        Assert.Equal(TimeSpan.FromSeconds(7), error.RetryAfter);
        answer = 200;
        Assert.Equal("token 1", (await tokens.GetAsync(Resource, default)).Token);
    }

    [Theory]
    [InlineData("<html>")]
    [InlineData("[]")]
    [InlineData("""{"expires_in":3600}""")]
    [InlineData("""{"access_token":"t"}""")]
    [InlineData("""{"access_token":"t","expires_in":"soon"}""")]
    public async Task An_answer_that_is_no_token_is_the_fault_of_the_task(string body)
    {
        await using var stub = new HttpStub((_, _, response) => HttpStub.SayAsync(response, 200, body));
        using var tokens = Application(stub);
        Assert.Equal(SinkFault.Task, (await Assert.ThrowsAsync<SinkException>(() => tokens.GetAsync(Resource, default))).Fault);
    }

    [Fact]
    public async Task Tasks_that_wait_for_one_answer_get_an_exception_each()
    {
        var asked = new TaskCompletionSource();
        var answers = new TaskCompletionSource();
        await using var stub = new HttpStub(
            async (_, _, response) =>
            {
                asked.TrySetResult();
                await answers.Task;
                await HttpStub.SayAsync(response, 400, "{}");
            }
        );
        using var tokens = Application(stub);
        var first = tokens.GetAsync(Resource, default);
        await asked.Task;
        var second = tokens.GetAsync(Resource, default);
        answers.SetResult();
        var errors = new[] { await Assert.ThrowsAsync<SinkException>(() => first), await Assert.ThrowsAsync<SinkException>(() => second) };
        Assert.NotSame(errors[0], errors[1]);
        Assert.Equal(errors[0].Message, errors[1].Message);
        Assert.Same(errors[0].InnerException, errors[1].InnerException);
    }

    [Fact]
    public async Task An_endpoint_that_is_not_there_is_the_fault_of_the_sink_and_shows_no_secret()
    {
        ClientSecretTokens tokens;
        await using (var gone = new HttpStub((_, _, _) => Task.CompletedTask))
            tokens = Application(gone);
        using (tokens)
        {
            var error = await Assert.ThrowsAsync<SinkException>(() => tokens.GetAsync(Resource, default));
            Assert.Equal(SinkFault.Sink, error.Fault);
            Assert.Contains("cannot be reached", error.Message, StringComparison.Ordinal);
            Assert.DoesNotContain("hush", error.ToString(), StringComparison.Ordinal);
        }
    }
}
