using System.Net;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Acceptance.Tls;
using Jackdaw.EventStreams.Client.Errors;
using Jackdaw.EventStreams.Client.Tests.Serving;
using Jackdaw.EventStreams.Client.Trust;

namespace Jackdaw.EventStreams.Client.Tests.Trust;

/// <summary>The real server over https with a certificate that nobody but tests trusts.</summary>
[Trait("Category", "Slow")]
public sealed class ServerTrustTests
{
    private const string Database = "Shop";

    [Fact]
    public async Task A_pinned_server_is_trusted_and_judges_the_client_by_its_rights()
    {
        await using var server = await StartAsync();
        using var writer = await ClientAsync(server, "writer", "ReadWrite");
        using var reader = await ClientAsync(server, "reader", "Read");
        using var stranger = server.Authority.Issue("stranger");
        var pin = ServerPin.Of(server.Own);

        await using var writing = NewClient(server, writer, pin);
        await writing.AppendAsync(Appends.Of("one", 1), writing.Begin());
        await using var reading = NewClient(server, reader, server.Own.Thumbprint);
        Assert.Equal(1, (await reading.HighestAsync("one", reading.Begin())).Highest);
        var refused = await Assert.ThrowsAsync<RequestRefusedException>(() => reading.AppendAsync(Appends.Of("one", 2), reading.Begin()));
        Assert.Equal(HttpStatusCode.Forbidden, refused.Status);
        await using var strange = NewClient(server, stranger, pin);
        refused = await Assert.ThrowsAsync<RequestRefusedException>(() => strange.HighestAsync("one", strange.Begin()));
        Assert.Equal(HttpStatusCode.Forbidden, refused.Status);
    }

    [Fact]
    public async Task Another_server_than_the_pinned_one_is_refused_at_once_and_described_and_so_is_one_that_nobody_vouches_for()
    {
        await using var server = await StartAsync();
        using var writer = await ClientAsync(server, "writer", "ReadWrite");

        await using var pinned = NewClient(server, writer, ServerPin.Of(writer));
        var message = await RefusalAsync(pinned);
        Assert.Contains($"thumbprint {server.Own.Thumbprint}", message, StringComparison.Ordinal);
        Assert.Contains("the pin of this client names another one", message, StringComparison.Ordinal);
        // A reading, and the waiting for the server, say the same.
        await Assert.ThrowsAsync<ServerNotTrustedException>(() => pinned.ReadPageAsync("one", 1, 9, 9));
        using var enough = new CancellationTokenSource(Eventually.Patience);
        var told = new TaskCompletionSource<Exception>();
        var waiting = pinned.WaitUntilReadyAsync(failure => told.TrySetResult(failure), enough.Token);
        Assert.IsType<ServerNotTrustedException>(await told.Task);
        await enough.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);

        await using var unpinned = NewClient(server, writer, pin: null);
        Assert.Contains(ServerPin.Of(server.Own), await RefusalAsync(unpinned), StringComparison.Ordinal);
        Assert.Equal(0, await HighestAsync(server, writer));
    }

    [Fact]
    public async Task An_authority_vouches_for_servers_by_their_names_and_another_one_does_not()
    {
        await using var server = await StartAsync();
        using var writer = await ClientAsync(server, "writer", "ReadWrite");
        using var others = new Jackdaw.Brokers.TestAuthority("Another authority");

        await using var client = NewClient(server, writer, pin: null, server.Authority.CertificateFile);
        await client.AppendAsync(Appends.Of("one", 1), client.Begin());
        await using var wrong = NewClient(server, writer, pin: null, others.CertificateFile);
        Assert.Contains("the authorities given to this client do not vouch for", await RefusalAsync(wrong), StringComparison.Ordinal);
        // Its certificate names localhost.
        var byAddress = Options(server, writer, pin: null, server.Authority.CertificateFile);
        byAddress = byAddress with { Url = new Uri($"https://127.0.0.1:{byAddress.Url.Port}") };
        await using var misnamed = new EventStreamsClient(byAddress);
        Assert.Contains("RemoteCertificateNameMismatch", await RefusalAsync(misnamed), StringComparison.Ordinal);
        Assert.Equal(1, await HighestAsync(server, writer));
    }

    [Fact]
    public async Task A_certificate_that_is_renewed_with_its_key_keeps_its_pin_and_one_with_another_key_does_not()
    {
        await using var server = await StartAsync();
        using var writer = await ClientAsync(server, "writer", "ReadWrite");
        var (pin, thumbprint) = (ServerPin.Of(server.Own), server.Own.Thumbprint);

        using var renewed = server.Authority.Renew(server.Own);
        await server.ReplaceAsync(renewed);
        await using var client = NewClient(server, writer, pin);
        await client.AppendAsync(Appends.Of("one", 1), client.Begin());
        await using var byThumbprint = NewClient(server, writer, thumbprint);
        Assert.Contains(renewed.Thumbprint, await RefusalAsync(byThumbprint), StringComparison.Ordinal);

        using var other = server.Authority.Issue("localhost");
        await server.ReplaceAsync(other);
        await using var afterwards = NewClient(server, writer, pin);
        Assert.Contains(other.Thumbprint, await RefusalAsync(afterwards), StringComparison.Ordinal);
    }

    private static async Task<SecuredServer> StartAsync()
    {
        var server = await SecuredServer.StartAsync();
        await server.CreateAsync(Database);
        return server;
    }

    private static async Task<X509Certificate2> ClientAsync(SecuredServer server, string name, string right)
    {
        var certificate = server.Authority.Issue(name);
        await server.AddAsync(name, certificate, "ValidUser", (Database, right));
        return certificate;
    }

    private static EventStreamsClientOptions Options(SecuredServer server, X509Certificate2 certificate, string? pin, string? authority)
    {
        X509Certificate2Collection? authorities = null;
        if (authority is not null)
        {
            authorities = [];
            authorities.ImportFromPemFile(authority);
        }
        return new EventStreamsClientOptions
        {
            Url = new Uri(server.Url),
            Database = Database,
            Certificate = certificate,
            ServerPin = pin,
            ServerAuthorities = authorities,
            // A bound that ends a hang: refusals come at once.
            RepeatFor = Eventually.Patience,
        };
    }

    private static EventStreamsClient NewClient(
        SecuredServer server,
        X509Certificate2 certificate,
        string? pin,
        string? authority = null
    ) => new(Options(server, certificate, pin, authority));

    private static async Task<string> RefusalAsync(EventStreamsClient client) =>
        (await Assert.ThrowsAsync<ServerNotTrustedException>(() => client.AppendAsync(Appends.Of("one", 1), client.Begin()))).Message;

    private static async Task<long> HighestAsync(SecuredServer server, X509Certificate2 certificate)
    {
        await using var client = NewClient(server, certificate, ServerPin.Of(server.Own));
        return (await client.HighestAsync("one", client.Begin())).Highest;
    }
}
