using System.Globalization;
using Jackdaw.Server.Alerts;

namespace Jackdaw.Server.Security.Certificates;

/// <summary>Tells operators of certificates that expire soon: looks each day, at the start, and after each change. A timer of the
/// runtime, no thread.</summary>
internal sealed class CertificateExpiry : IDisposable
{
    /// <summary>The key of the alert.</summary>
    public const string AlertKey = "certificates/expiry";

    private const int NamedAtMost = 10;
    private static readonly TimeSpan s_interval = TimeSpan.FromDays(1);

    private readonly CertificateStore _certificates;
    private readonly ServerAlerts _alerts;
    private readonly TimeProvider _clock;
    private readonly ITimer _timer;

    public CertificateExpiry(CertificateStore certificates, ServerAlerts alerts, TimeProvider? clock = null)
    {
        _certificates = certificates;
        _alerts = alerts;
        _clock = clock ?? TimeProvider.System;
        _certificates.Stored += Look;
        _timer = _clock.CreateTimer(_ => Look(), null, TimeSpan.Zero, s_interval);
    }

    /// <summary>Raises or clears the alert by what is stored now.</summary>
    public void Look()
    {
        var now = _clock.GetUtcNow().UtcDateTime;
        var ending = _certificates
            .List()
            .Where(one => one.Facts.NotAfter - now <= CertificateLimits.ExpiryWarning && !HasSuccessor(one, now))
            .OrderBy(one => one.Facts.NotAfter)
            .ToArray();
        if (ending.Length == 0)
        {
            _alerts.Clear(AlertKey);
            return;
        }
        var named = ending.Take(NamedAtMost).Select(one => Told(one, now));
        var more = ending.Length > NamedAtMost ? $", and {ending.Length - NamedAtMost:N0} more" : "";
        _alerts.Raise(
            AlertKey,
            ending[0].Facts.NotAfter < now ? Alert.Error : Alert.Warning,
            ending.Length == 1 ? "A client's certificate expires" : $"{ending.Length:N0} certificates of clients expire",
            string.Join(", ", named) + more + ".",
            "Renew each with the same key, which keeps its rights, and add the renewed one; or make another with "
                + "'./run certificates client'. Delete those that nobody uses."
        );
    }

    public void Dispose()
    {
        _certificates.Stored -= Look;
        _timer.Dispose();
    }

    /// <summary>Another certificate of the same key that lives longer is stored.</summary>
    private bool HasSuccessor(StoredCertificate certificate, DateTime now) =>
        _certificates.WithSameKey(certificate).Any(other => other.Facts.NotAfter - now > CertificateLimits.ExpiryWarning);

    private static string Told(StoredCertificate certificate, DateTime now) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"'{certificate.Name}' ({certificate.Thumbprint}) {(certificate.Facts.NotAfter < now ? "expired" : "expires")} at "
                + $"{certificate.Facts.NotAfter:yyyy-MM-dd HH:mm} UTC"
        );
}
