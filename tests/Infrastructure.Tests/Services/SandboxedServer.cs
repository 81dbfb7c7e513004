using System.Diagnostics;
using System.Globalization;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Services;

/// <summary>The published server over TLS, as user <see cref="UserId"/> with a file system that is read-only but for its data.</summary>
internal sealed class SandboxedServer : IAsyncDisposable
{
    /// <summary>No user of the machine, as the image's.</summary>
    public const int UserId = 10001;

    private const string Contract = "Server available on: ";

    private readonly Process _process;
    private readonly Task<string> _errors;

    private SandboxedServer(Process process, X509Certificate2 certificate)
    {
        _process = process;
        Certificate = certificate;
        _errors = process.StandardError.ReadToEndAsync();
        Client = new HttpClient(NewHandler()) { Timeout = Eventually.Patience };
    }

    public Uri Url { get; private set; } = null!;

    public int ProcessId => _process.Id;

    /// <summary>The server's own, with its key.</summary>
    public X509Certificate2 Certificate { get; }

    /// <summary>Shows the server's own certificate.</summary>
    public HttpClient Client { get; }

    public static async Task<SandboxedServer> StartAsync(PublishedServer published)
    {
        Directory.CreateDirectory(published.At("data"));
        await Command.MustAsync("chown", ["-R", $"{UserId}:{UserId}", published.At("data"), published.At("certificates")]);
        var start = new ProcessStartInfo(
            Checkout.At("tests", "Infrastructure.Tests", "Services", "sandbox"),
            [
                published.Path,
                DotnetFolder(),
                UserId.ToString(CultureInfo.InvariantCulture),
                "--ServerUrl=https://127.0.0.1:0",
                "--DataDir=/srv/data",
                "--Security.Certificate.Path=/srv/certificates/server.pfx",
            ]
        )
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        var server = new SandboxedServer(
            Process.Start(start)!,
            X509CertificateLoader.LoadPkcs12FromFile(published.At("certificates", "server.pfx"), null)
        );
        try
        {
            server.Url = new Uri(await server.FirstLineAsync().WaitAsync(Eventually.Patience));
            return server;
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>A handler that shows the server's certificate and trusts no other.</summary>
    public SocketsHttpHandler NewHandler() =>
        new()
        {
            SslOptions =
            {
                ClientCertificates = [Certificate],
                RemoteCertificateValidationCallback = (_, presented, _, _) => IsTheServer(presented),
            },
        };

    /// <summary>True for the server's own certificate only.</summary>
    public bool IsTheServer(X509Certificate? presented) =>
        presented is not null && presented.GetRawCertData().AsSpan().SequenceEqual(Certificate.RawData);

    /// <summary>Ends it by SIGTERM; returns its exit code and what it wrote to standard error.</summary>
    public async Task<(int ExitCode, string Errors)> StopAsync()
    {
        await Command.MustAsync("kill", ["-TERM", ProcessId.ToString(CultureInfo.InvariantCulture)]);
        await _process.WaitForExitAsync().WaitAsync(Eventually.Patience);
        return (_process.ExitCode, await _errors);
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        if (!_process.HasExited)
        {
            _process.Kill();
            await _process.WaitForExitAsync();
        }
        _process.Dispose();
        Certificate.Dispose();
    }

    /// <summary>Where the runtime is that these tests run on: another user may be unable to reach it where it lies.</summary>
    private static string DotnetFolder() =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(typeof(object).Assembly.Location)!, "..", "..", ".."));

    private async Task<string> FirstLineAsync()
    {
        while (await _process.StandardOutput.ReadLineAsync() is { } line)
            if (line.StartsWith(Contract, StringComparison.Ordinal))
                return line[Contract.Length..];
        throw new InvalidOperationException($"The server ended before it was available:\n{await _errors}");
    }
}
