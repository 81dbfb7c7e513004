using System.Security.Cryptography.X509Certificates;
using Jackdaw.Server.Alerts;
using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Security.Tls;

/// <summary>
/// The server's certificate, which follows its files. Files that do not open leave the one before in place and raise an alert. New
/// handshakes take the current one; connections that were made before live on. Thread-safe.
/// </summary>
internal sealed class ServerCertificate : IDisposable
{
    /// <summary>The files do not open.</summary>
    public const string ReloadAlert = "tls/certificate";

    /// <summary>The certificate expires soon, or has.</summary>
    public const string ExpiryAlert = "tls/expiry";

    /// <summary>Everyone may read the key.</summary>
    public const string OpennessAlert = "tls/key";

    /// <summary>How long before the end of a certificate an alert begins.</summary>
    public static readonly TimeSpan ExpiryNotice = TimeSpan.FromDays(30);

    private readonly ServerAlerts _alerts;
    private readonly TimeProvider _clock;

    /// <summary>One looks at the files, or replaces them, at a time.</summary>
    private readonly SemaphoreSlim _turn = new(1);

    private volatile LoadedCertificate _current;
    private string _hash;
    private string? _told;

    private ServerCertificate(
        CertificateFiles files,
        CertificateContents contents,
        LoadedCertificate current,
        ServerAlerts alerts,
        TimeProvider clock
    )
    {
        Files = files;
        _current = current;
        _hash = contents.Hash;
        _alerts = alerts;
        _clock = clock;
        RaiseStandingAlerts();
    }

    /// <summary>Raised on the thread that looked, after the new certificate is in place; the old one stays usable.</summary>
    public event Action<X509Certificate2>? Changed;

    /// <summary>Told each change and each failure, as a sentence for the log.</summary>
    public Action<string>? Told { get; set; }

    public CertificateFiles Files { get; }

    /// <summary>With its private key. Never disposed while connections may use it.</summary>
    public X509Certificate2 Current => _current.Certificate;

    /// <summary>What handshakes take.</summary>
    public LoadedCertificate Loaded => _current;

    /// <summary>Opens the certificate of the settings; null when none is set.</summary>
    /// <exception cref="ConfigurationException">Its files cannot be used.</exception>
    public static ServerCertificate? Open(ServerConfiguration configuration, ServerAlerts alerts, TimeProvider? clock = null)
    {
        clock ??= TimeProvider.System;
        if (CertificateFiles.Of(configuration) is not { } files)
            return null;
        try
        {
            var contents = files.Read();
            return new ServerCertificate(files, contents, Open(files, contents, clock), alerts, clock);
        }
        catch (CertificateFileException e)
        {
            throw new ConfigurationException(e.Message, e);
        }
    }

    /// <summary>Looks at the files, and takes the certificate in them when it is another one. Returns whether it is.</summary>
    public bool Look()
    {
        LoadedCertificate? changed;
        _turn.Wait();
        try
        {
            changed = Reload();
            RaiseStandingAlerts();
        }
        finally
        {
            _turn.Release();
        }
        if (changed is null)
            return false;
        Announce(changed);
        return true;
    }

    /// <summary>
    /// Writes another certificate in the place of the server's PFX file, and takes it. On return new handshakes have it. The caller
    /// announces it by the action that is returned, once its own answer is out: with that the holder of the former key is nobody any
    /// more, and that may be the one who asked.
    /// </summary>
    /// <param name="pfx">The certificate with its key, and those of its authorities.</param>
    /// <param name="password">Opens it; the file gets the password of the settings.</param>
    /// <exception cref="CertificateFileException">It does not open, is not valid now, or the file cannot be replaced. Nothing has
    /// changed then.</exception>
    public Action Replace(byte[] pfx, string? password)
    {
        const string What = "The new certificate";
        LoadedCertificate? changed;
        using (var opened = CertificateOpening.OpenPfx(pfx, password, What, "Password"))
        {
            CertificateOpening.RequireValid(opened.Certificate, What, _clock.GetUtcNow());
            _turn.Wait();
            try
            {
                CertificateReplacement.Write(Files, opened);
                changed = Reload();
                RaiseStandingAlerts();
            }
            finally
            {
                _turn.Release();
            }
        }
        return () =>
        {
            if (changed is not null)
                Announce(changed);
        };
    }

    public void Dispose()
    {
        _turn.Dispose();
        _current.Dispose();
    }

    private void Announce(LoadedCertificate changed)
    {
        Told?.Invoke($"The server's certificate was reloaded: {Describe(changed.Certificate)}.");
        Changed?.Invoke(changed.Certificate);
    }

    private static LoadedCertificate Open(CertificateFiles files, CertificateContents contents, TimeProvider clock)
    {
        var opened = CertificateOpening.Open(files, contents);
        try
        {
            CertificateOpening.RequireValid(
                opened.Certificate,
                $"The certificate in '{files.Path}' ({files.Names.Path})",
                clock.GetUtcNow()
            );
            return opened;
        }
        catch
        {
            opened.Dispose();
            throw;
        }
    }

    private static string Describe(X509Certificate2 certificate) =>
        $"'{certificate.Subject}', thumbprint {certificate.Thumbprint}, valid until {CertificateOpening.Moment(certificate.NotAfter)}";

    /// <summary>The new certificate; null when the files hold the current one, or do not open.</summary>
    private LoadedCertificate? Reload()
    {
        try
        {
            var contents = Files.Read();
            LoadedCertificate? opened = null;
            if (contents.Hash != _hash)
            {
                opened = Open(Files, contents, _clock);
                _hash = contents.Hash;
                _current = opened;
            }
            _told = null;
            _alerts.Clear(ReloadAlert);
            return opened;
        }
        catch (CertificateFileException e)
        {
            var message = $"{e.Message} The server goes on with the certificate that it has: {Describe(_current.Certificate)}.";
            _alerts.Raise(
                ReloadAlert,
                Alert.Error,
                "The server's certificate has changed and does not open",
                message,
                "Put a certificate that opens in its place; the server takes it within 30 seconds and this alert ends."
            );
            // Every 30 seconds would be too often.
            if (_told != e.Message)
                Told?.Invoke(message);
            _told = e.Message;
            return null;
        }
    }

    /// <summary>Alerts that come with time, or with the rights of a file.</summary>
    private void RaiseStandingAlerts()
    {
        var certificate = _current.Certificate;
        var left = certificate.NotAfter.ToUniversalTime() - _clock.GetUtcNow().UtcDateTime;
        if (left > ExpiryNotice)
            _alerts.Clear(ExpiryAlert);
        else
            _alerts.Raise(
                ExpiryAlert,
                left <= TimeSpan.Zero ? Alert.Error : Alert.Warning,
                left <= TimeSpan.Zero ? "The server's certificate has expired" : "The server's certificate expires soon",
                $"{Describe(certificate)}.",
                $"Put a renewed certificate in the place of '{Files.Path}'; the server takes it without a restart."
            );
        if (Files.Openness() is { } openness)
            _alerts.Raise(
                OpennessAlert,
                Alert.Warning,
                "Everyone on this machine may read the server's key",
                openness,
                "Change the rights of the file."
            );
        else
            _alerts.Clear(OpennessAlert);
    }
}
