using System.Diagnostics;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance.Certificates;

/// <summary>A folder with a server's certificate and data, and the real commands on it. The server runs when the test starts it.</summary>
internal sealed class SecuredServer : IAsyncDisposable
{
    private const string Password = "of the server";

    private readonly X509Certificate2 _certificate;
    private ServerUnderTest? _server;

    public SecuredServer()
    {
        using var key = RSA.Create(2048);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        _certificate = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(100));
        File.WriteAllBytes(PathOf("server.pfx"), _certificate.Export(X509ContentType.Pkcs12, Password));
        File.WriteAllBytes(PathOf("replacement.pfx"), _certificate.Export(X509ContentType.Pkcs12));
        File.WriteAllText(PathOf("server.crt"), _certificate.ExportCertificatePem());
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(PathOf("server.pfx"), UnixFileMode.UserRead | UnixFileMode.UserWrite);
    }

    public string Folder { get; } = Directory.CreateTempSubdirectory("jackdaw-certificates-").FullName;

    public string Url => Server.Url;

    public ServerUnderTest Server => _server ?? throw new InvalidOperationException("The server does not run.");

    /// <summary>The settings that name the folder and the certificate.</summary>
    public string[] Settings =>
        [
            $"--DataDir={PathOf("data")}",
            $"--Security.Certificate.Path={PathOf("server.pfx")}",
            $"--Security.Certificate.Password={Password}",
        ];

    public string PathOf(string file) => Path.Combine(Folder, file);

    public async Task StartAsync(params string[] arguments) =>
        _server = await ServerUnderTest.StartAsync(Folder, ["--no-defaults", "--ServerUrl=https://127.0.0.1:0", .. Settings, .. arguments]);

    public async Task StopAsync()
    {
        await Server.StopAsync();
        await Server.DisposeAsync();
        _server = null;
    }

    public async Task KillAsync()
    {
        await Server.KillAsync();
        await Server.DisposeAsync();
        _server = null;
    }

    /// <summary>Runs <c>certificates …</c> with the folder's settings; a running server is found by its address.</summary>
    public async Task<(int Code, string Output, string Errors)> RunAsync(string input, params string[] arguments)
    {
        var address = _server is null ? [] : (string[])[$"--ServerUrl={Url}"];
        using var process = Launch([.. arguments, .. address, .. Settings]);
        await process.StandardInput.WriteAsync(input);
        process.StandardInput.Close();
        var output = process.StandardOutput.ReadToEndAsync();
        var errors = process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync().WaitAsync(Eventually.Patience);
        return (process.ExitCode, await output, await errors);
    }

    /// <summary>Runs a command that must go well; gives its output.</summary>
    public async Task<string> DoAsync(params string[] arguments)
    {
        var (code, output, errors) = await RunAsync("", arguments);
        Assert.True(code == 0, $"{string.Join(' ', arguments)} ended with {code}:\n{output}\n{errors}");
        return output;
    }

    /// <summary>Runs a command that must be refused; gives what it says.</summary>
    public async Task<string> RefusedAsync(int code, params string[] arguments)
    {
        var ended = await RunAsync("", arguments);
        Assert.True(ended.Code == code, $"{string.Join(' ', arguments)} ended with {ended.Code}:\n{ended.Output}\n{ended.Errors}");
        return ended.Errors;
    }

    /// <summary>A command in a process of its own, for a test that ends it.</summary>
    public Process Launch(string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet")
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = Folder,
        };
        foreach (var argument in (string[])[Repository.ServerAssembly, "certificates", .. arguments])
            start.ArgumentList.Add(argument);
        return Process.Start(start)!;
    }

    /// <summary>A client with one of the folder's files as its certificate; null for none.</summary>
    public HttpClient Client(string? pfx, string? password = null)
    {
        var handler = new HttpClientHandler
        {
            ServerCertificateCustomValidationCallback = (_, theirs, _, _) => theirs?.Thumbprint == _certificate.Thumbprint,
        };
        if (pfx is not null)
            handler.ClientCertificates.Add(X509CertificateLoader.LoadPkcs12FromFile(PathOf(pfx), password));
        return new HttpClient(handler) { BaseAddress = new Uri(Url) };
    }

    /// <summary>The status of a GET with one of the folder's files.</summary>
    public async Task<HttpStatusCode> StatusAsync(string? pfx, string path)
    {
        using var client = Client(pfx);
        using var answer = await client.GetAsync(path);
        return answer.StatusCode;
    }

    public async ValueTask DisposeAsync()
    {
        if (_server is not null)
            await _server.DisposeAsync();
        _certificate.Dispose();
        Directory.Delete(Folder, recursive: true);
    }
}
