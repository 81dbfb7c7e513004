using System.Text;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.HttpTargets;
using Jackdaw.Etl.Kafka;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>Tokens of an OpenID provider, which the server fetches in the place of Kafka's native client.</summary>
public sealed class OidcTokensTests
{
    private static Dictionary<string, string> Options(string url, params (string Name, string Value)[] more)
    {
        var options = new Dictionary<string, string>
        {
            ["sasl.mechanism"] = "OAUTHBEARER",
            [" SASL.oauthbearer.method"] = "oidc",
            ["sasl.oauthbearer.token.endpoint.url"] = url,
            ["sasl.oauthbearer.client.id"] = "me",
            ["sasl.oauthbearer.client.secret"] = "m:ne",
        };
        foreach (var (name, value) in more)
            options[name] = value;
        return options;
    }

    [Theory]
    [InlineData("http://169.254.169.254/token", false)]
    [InlineData("http://[fe80::1]/token", false)]
    [InlineData("http://[::ffff:a9fe:a9fe]/token", false)]
    [InlineData("http://[64:ff9b::169.254.169.254]/token", false)]
    [InlineData("http://127.0.0.1:1/token", true)]
    [InlineData("http://localhost:1/token", true)]
    public async Task An_endpoint_at_a_refused_address_is_never_connected(string url, bool refusesPrivate)
    {
        var settings = OidcSettings.Of(Options(url))!;
        using var tokens = new OidcTokens(settings, TimeProvider.System, new TargetAddresses(refusesPrivate));

        var refused = await Assert.ThrowsAsync<SinkException>(() => tokens.GetAsync("", default));

        Assert.Equal(SinkFault.Task, refused.Fault);
        Assert.DoesNotContain("m:ne", refused.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_token_is_asked_for_as_the_native_client_asks_and_no_redirect_is_followed()
    {
        string? authorization = null;
        await using var elsewhere = new HttpStub(_ => (200, """{"access_token":"stolen","expires_in":3600}"""));
        await using var redirecting = new HttpStub(
            (_, _, response) =>
            {
                response.RedirectLocation = elsewhere.Url.AbsoluteUri;
                return HttpStub.SayAsync(response, 307, "");
            }
        );
        await using var endpoint = new HttpStub(request =>
        {
            authorization = request.Headers["Authorization"];
            return (200, """{"access_token":"t","expires_in":3600}""");
        });
        var options = Options(endpoint.Url.AbsoluteUri, ("sasl.oauthbearer.scope", "a b"), ("sasl.oauthbearer.extensions", "x=1,y=a=b"));
        var settings = OidcSettings.Of(options)!;
        using var tokens = new OidcTokens(settings, TimeProvider.System, new TargetAddresses(RefusesPrivate: false));

        Assert.Equal("t", (await tokens.GetAsync("", default)).Token);
        Assert.Equal("POST", endpoint.Requests.Single().Method);
        Assert.Equal("grant_type=client_credentials&scope=a+b", endpoint.Requests.Single().Body);
        Assert.Equal("Basic " + Convert.ToBase64String(Encoding.UTF8.GetBytes("me:m:ne")), authorization);
        Assert.Equal(["x=1", "y=a=b"], settings.SaslExtensions.Select(one => $"{one.Key}={one.Value}"));
        using var redirected = new OidcTokens(
            OidcSettings.Of(Options(redirecting.Url.AbsoluteUri))!,
            TimeProvider.System,
            new TargetAddresses(RefusesPrivate: false)
        );
        await Assert.ThrowsAsync<SinkException>(() => redirected.GetAsync("", default));
        Assert.Empty(elsewhere.Requests);
    }

    [Theory]
    [InlineData("sasl.oauthbearer.grant.type", "urn:ietf:params:oauth:grant-type:jwt-bearer", "client_credentials")]
    [InlineData("sasl.oauthbearer.metadata.authentication.type", "azure_imds", "ManagedIdentity")]
    [InlineData("sasl.oauthbearer.token.endpoint.url", "file:///etc/passwd", "http or https")]
    [InlineData("sasl.oauthbearer.client.id", "", "client.id")]
    [InlineData("https.ca.location", "/nowhere.pem", "cannot be read")]
    [InlineData("sasl.oauthbearer.extensions", "traceId", "name=value")]
    [InlineData("sasl.oauthbearer.extensions", "a=1,a=2", "each name once; 'a=2'")]
    public void What_only_the_native_client_could_fetch_is_refused_by_name(string option, string value, string told)
    {
        var refused = Assert.Throws<InvalidConfigurationException>(() => OidcSettings.Of(Options("https://idp.example/", (option, value))));
        Assert.Contains(told, refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_native_client_gets_nothing_that_it_could_fetch_a_token_with()
    {
        var settings = new KafkaSettings { BootstrapServers = "h:1", Options = Options("https://idp.example/") };
        var config = new KafkaClientConfig(settings, null, KafkaTimes.Default).Producer(null);

        Assert.DoesNotContain(config, one => one.Key.Contains("oauthbearer", StringComparison.OrdinalIgnoreCase));
        Assert.Equal("OAUTHBEARER", config["sasl.mechanism"]);
        KafkaConnection.Check(new KafkaClientConfig(settings, null, KafkaTimes.Default));
    }
}
