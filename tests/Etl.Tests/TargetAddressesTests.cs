using System.Net;
using System.Net.Sockets;
using Jackdaw.Etl.HttpTargets;
using Jackdaw.Etl.Sinks;
using Jackdaw.Etl.Webhook;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>Where a cloud hands credentials to its machines, nothing is sent, however the address is written.</summary>
public sealed class TargetAddressesTests
{
    [Theory]
    [InlineData("169.254.169.254")]
    [InlineData("169.254.0.1")]
    [InlineData("fe80::1")]
    [InlineData("febf::1")]
    [InlineData("::ffff:169.254.169.254")]
    [InlineData("::169.254.169.254")]
    [InlineData("::ffff:0:169.254.169.254")]
    [InlineData("64:ff9b::a9fe:a9fe")]
    [InlineData("2002:a9fe:a9fe::")]
    [InlineData("fd00:ec2::254")]
    [InlineData("168.63.129.16")]
    [InlineData("64:ff9b:1::a9fe:a9fe")]
    [InlineData("100.100.100.200")]
    [InlineData("::ffff:100.100.100.200")]
    [InlineData("64:ff9b::100.100.100.200")]
    [InlineData("2002:6464:64c8::1")]
    [InlineData("192.0.0.192")]
    [InlineData("::192.0.0.192")]
    [InlineData("fd20:ce::254")]
    [InlineData("fd00:c1::a9fe:a9fe")]
    [InlineData("fd00:42::42")]
    [InlineData("2001:0:a9fe:a9fe::")]
    [InlineData("2001::5601:5601")]
    [InlineData("2606:4700::5efe:169.254.169.254")]
    [InlineData("2606:4700::200:5efe:100.100.100.200")]
    public void Addresses_that_hand_out_credentials_are_always_refused(string address)
    {
        Assert.NotNull(new TargetAddresses(RefusesPrivate: false).Refusal(IPAddress.Parse(address)));
        Assert.NotNull(new TargetAddresses(RefusesPrivate: true).Refusal(IPAddress.Parse(address)));
    }

    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("0.0.0.0")]
    [InlineData("10.1.2.3")]
    [InlineData("172.16.0.1")]
    [InlineData("172.31.255.255")]
    [InlineData("192.168.1.1")]
    [InlineData("100.64.0.1")]
    [InlineData("::1")]
    [InlineData("::")]
    [InlineData("fd12::1")]
    [InlineData("::ffff:127.0.0.1")]
    [InlineData("64:ff9b::10.0.0.1")]
    public void Private_addresses_are_refused_by_the_setting_alone(string address)
    {
        Assert.Null(new TargetAddresses(RefusesPrivate: false).Refusal(IPAddress.Parse(address)));
        Assert.NotNull(new TargetAddresses(RefusesPrivate: true).Refusal(IPAddress.Parse(address)));
    }

    [Theory]
    [InlineData("169.253.255.255")]
    [InlineData("169.255.0.1")]
    [InlineData("172.32.0.1")]
    [InlineData("8.8.8.8")]
    [InlineData("2606:4700::1111")]
    [InlineData("::ffff:8.8.8.8")]
    [InlineData("192.0.0.193")]
    [InlineData("2606:4700::5efe:8.8.8.8")]
    [InlineData("2001:0:808:808::f7f7:f7f7")]
    public void Other_addresses_are_allowed(string address) =>
        Assert.Null(new TargetAddresses(RefusesPrivate: true).Refusal(IPAddress.Parse(address)));

    [Theory]
    [InlineData("http://169.254.169.254/latest/meta-data")]
    [InlineData("http://2852039166/")]
    [InlineData("http://0xA9FEA9FE/")]
    [InlineData("http://0251.0376.0251.0376/")]
    [InlineData("http://169.254.43518/")]
    [InlineData("http://[::ffff:169.254.169.254]/")]
    [InlineData("http://[fe80::1]/")]
    [InlineData("https://169.254.169.254/")]
    public async Task A_webhook_there_is_refused_however_its_address_is_written(string url)
    {
        await using var sink = new WebhookSink(new WebhookSettings { Url = url }, TimeProvider.System);

        var refused = await Assert.ThrowsAsync<SinkException>(() => sink.TestAsync(CancellationToken.None));

        Assert.Equal(SinkFault.Task, refused.Fault);
        Assert.Contains("credentials", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_name_is_refused_for_the_address_that_it_leads_to_before_a_connection_is_made()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var url = $"http://localhost:{((IPEndPoint)listener.LocalEndpoint).Port}/";
        await using var sink = new WebhookSink(
            new WebhookSettings { Url = url },
            TimeProvider.System,
            new TargetAddresses(RefusesPrivate: true)
        );

        var refused = await Assert.ThrowsAsync<SinkException>(() => sink.TestAsync(CancellationToken.None));

        Assert.Equal(SinkFault.Task, refused.Fault);
        Assert.Contains("RefusePrivateAddresses", refused.Message, StringComparison.Ordinal);
        Assert.False(listener.Pending());
    }
}
