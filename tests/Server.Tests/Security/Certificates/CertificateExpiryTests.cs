using Jackdaw.Server.Alerts;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Certificates;

namespace Jackdaw.Server.Tests.Security.Certificates;

public sealed class CertificateExpiryTests : IDisposable
{
    private readonly StoreScene _scene = new();
    private readonly ServerAlerts _alerts = new();

    public void Dispose() => _scene.Dispose();

    [Fact]
    public async Task A_certificate_is_told_thirty_days_before_its_end_until_it_is_deleted_or_its_renewal_is_stored()
    {
        var key = _scene.Key();
        await StoreAsync("shop", key, to: 40);
        await StoreAsync("long", _scene.Key(), to: 900);
        using var expiry = new CertificateExpiry(_scene.Store, _alerts, _scene.Clock);
        expiry.Look();
        Assert.Empty(_alerts.All);

        _scene.Clock.Advance(TimeSpan.FromDays(11));
        expiry.Look();
        var alert = Assert.Single(_alerts.All);
        Assert.Equal(Alert.Warning, alert.Severity);
        Assert.Contains("'shop'", alert.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("'long'", alert.Message, StringComparison.Ordinal);

        _scene.Clock.Advance(TimeSpan.FromDays(30));
        expiry.Look();
        alert = Assert.Single(_alerts.All);
        Assert.Equal(Alert.Error, alert.Severity);
        Assert.Contains("expired at", alert.Message, StringComparison.Ordinal);

        // The next look is a day away: a change looks by itself.
        await StoreAsync("shop", key, to: 400);
        Assert.Empty(_alerts.All);

        await StoreAsync("short", _scene.Key(), to: 3);
        Assert.Single(_alerts.All);
        await _scene.Store.DeleteAsync(_scene.Store.List().Single(one => one.Name == "short").Thumbprint, Access.Unsecured);
        Assert.Empty(_alerts.All);
    }

    [Fact]
    public async Task Many_expiring_certificates_are_one_alert_that_names_the_first()
    {
        for (var i = 0; i < 25; i++)
            await StoreAsync($"c{i}", _scene.Key(), to: 25 - i);
        using var expiry = new CertificateExpiry(_scene.Store, _alerts, _scene.Clock);
        expiry.Look();
        var alert = Assert.Single(_alerts.All);
        Assert.Contains("25 certificates", alert.Title, StringComparison.Ordinal);
        Assert.StartsWith("'c24'", alert.Message, StringComparison.Ordinal);
        Assert.EndsWith("and 15 more.", alert.Message, StringComparison.Ordinal);
    }

    private Task<StoredCertificate> StoreAsync(string name, ClientKey key, double to) =>
        _scene.Store.PutAsync(StoreScene.New(name, Clearance.ValidUser, key.Certificate(name, to: to)), Access.Unsecured);
}
