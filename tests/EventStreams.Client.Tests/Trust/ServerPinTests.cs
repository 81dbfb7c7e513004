using System.Security.Cryptography;
using Jackdaw.Brokers;
using Jackdaw.EventStreams.Client.Trust;

namespace Jackdaw.EventStreams.Client.Tests.Trust;

/// <summary>What names a server, and options about it that make no sense.</summary>
public sealed class ServerPinTests
{
    [Fact]
    public void A_certificate_is_named_by_its_thumbprints_and_by_the_pin_of_its_key_and_a_renewed_one_by_the_pin_alone()
    {
        using var authority = new TestAuthority();
        using var certificate = authority.Issue("localhost");
        using var renewed = authority.Renew(certificate);
        using var other = authority.Issue("localhost");
        var sha256 = certificate.GetCertHashString(HashAlgorithmName.SHA256);
        var withColons = string.Join(':', certificate.Thumbprint.Chunk(2).Select(two => new string(two)));
        foreach (var text in (string[])[certificate.Thumbprint, certificate.Thumbprint.ToLowerInvariant(), withColons, sha256])
        {
            Assert.True(ServerPin.Parse(text).Names(certificate), text);
            Assert.False(ServerPin.Parse(text).Names(renewed), text);
            Assert.False(ServerPin.Parse(text).Names(other), text);
        }
        var pin = ServerPin.Of(certificate);
        Assert.StartsWith("pin:", pin, StringComparison.Ordinal);
        Assert.Equal(pin, ServerPin.Of(renewed));
        Assert.True(ServerPin.Parse(pin).Names(certificate));
        Assert.True(ServerPin.Parse(pin).Names(renewed));
        Assert.False(ServerPin.Parse(pin).Names(other));
    }

    [Theory]
    [InlineData("")]
    [InlineData("pin:")]
    [InlineData("pin:AAAA")]
    [InlineData("pin:0123456789abcdef0123456789abcdef01234567")]
    [InlineData("0123456789abcdef0123456789abcdef0123456")]
    [InlineData("0123456789abcdef0123456789abcdef012345678")]
    [InlineData("0123456789abcdef0123456789abcdef0123456g")]
    public void A_text_that_names_no_server_is_refused_with_what_would(string text)
    {
        var error = Assert.Throws<ArgumentException>(() =>
            _ = NewClient(
                new()
                {
                    ServerPin = text,
                    Url = Https,
                    Database = "db",
                }
            )
        );
        Assert.StartsWith($"ServerPin '{text}' is neither a thumbprint", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Trust_in_a_server_needs_https_and_one_way_of_naming_it()
    {
        using var authority = new TestAuthority();
        using var certificate = authority.Issue("localhost");
        var pinned = new EventStreamsClientOptions
        {
            ServerPin = ServerPin.Of(certificate),
            Url = Https,
            Database = "db",
        };
        AssertRefused("ServerPin needs an address with https, not http://localhost/", pinned with { Url = new("http://localhost") });
        AssertRefused("ServerPin and ServerAuthorities exclude each other", pinned with { ServerAuthorities = [certificate] });
        AssertRefused("ServerAuthorities holds no certificate", pinned with { ServerPin = null, ServerAuthorities = [] });
    }

    private static Uri Https => new("https://localhost");

    private static EventStreamsClient NewClient(EventStreamsClientOptions options) => new(options);

    private static void AssertRefused(string message, EventStreamsClientOptions options) =>
        Assert.StartsWith(message, Assert.Throws<ArgumentException>(() => _ = NewClient(options)).Message, StringComparison.Ordinal);
}
