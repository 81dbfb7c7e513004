using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Security.Tls;

namespace Jackdaw.Server.Hosting;

/// <summary>A running server, asked over HTTP by a command of this executable. Over https the command presents the certificate that its
/// options name, or else the server's own, which is an administrator's.</summary>
internal sealed class ServerClient : IDisposable
{
    private readonly LoadedCertificate? _certificate;
    private readonly LoadedCertificate? _own;
    private readonly ServerIdentity _identity;
    private readonly HttpClient _client;

    /// <exception cref="ConfigurationException">The certificate cannot be read.</exception>
    public ServerClient(ServerConfiguration configuration, ServerClientOptions options)
    {
        Url = Reachable(configuration.ServerUrl);
        var handler = new SocketsHttpHandler();
        if (Url.Scheme == Uri.UriSchemeHttps)
        {
            _own = Own(configuration, isNeeded: options.Certificate is null);
            _certificate = options.Certificate is null ? null : Named(options);
            if ((_certificate ?? _own) is { } mine)
                handler.SslOptions.ClientCertificates = [mine.Certificate];
        }
        _identity = new ServerIdentity(options.ServerPin, _own?.Certificate);
        handler.SslOptions.RemoteCertificateValidationCallback = (_, presented, _, errors) => _identity.IsMeant(presented, errors);
        _client = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
    }

    public Uri Url { get; }

    /// <summary>A command that changes something must not pass over a misspelt restriction.</summary>
    /// <exception cref="ConfigurationException">The argument is no setting.</exception>
    public static void RequireSetting(string argument)
    {
        var name = argument.Split('=')[0].TrimStart('-');
        if (KnownSettings.Find(name) is null && !name.Equals(SettingValues.ConfigPathArgument, StringComparison.OrdinalIgnoreCase))
            throw new ConfigurationException($"'{argument}' is neither an option of this command nor a setting; see --help.");
    }

    /// <summary>Adds the setting at a place of a command line, with its value, which may be the next argument.</summary>
    /// <returns>Where the setting ends.</returns>
    /// <exception cref="ConfigurationException">The argument is no setting.</exception>
    public static int AddSetting(ICollection<string> settings, IReadOnlyList<string> arguments, int index)
    {
        RequireSetting(arguments[index]);
        settings.Add(arguments[index]);
        if (
            arguments[index].Contains('=', StringComparison.Ordinal)
            || index + 1 >= arguments.Count
            || arguments[index + 1].StartsWith("--", StringComparison.Ordinal)
        )
            return index;
        settings.Add(arguments[index + 1]);
        return index + 1;
    }

    /// <summary>The answer, whatever its status, as soon as its head is there.</summary>
    /// <param name="method">The method.</param>
    /// <param name="path">The path with its query.</param>
    /// <param name="json">The body; null: none.</param>
    /// <exception cref="HttpRequestException">There is no server.</exception>
    /// <exception cref="RefusedException">There is one, and it is not the one that is meant.</exception>
    public async Task<HttpResponseMessage> SendAsync(HttpMethod method, string path, string? json = null)
    {
        using var request = new HttpRequestMessage(method, new Uri(Url, path));
        if (json is not null)
            request.Content = new StringContent(json, Encoding.UTF8, "application/json");
        try
        {
            return await _client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        }
        catch (HttpRequestException e) when (_identity.Refusal is { } refusal)
        {
            throw new RefusedException($"{Url}: {refusal}", e);
        }
        catch (HttpRequestException e) when (e.InnerException is AuthenticationException or IOException && Url.Scheme == Uri.UriSchemeHttps)
        {
            throw new HttpRequestException($"The server at {Url} does not complete the TLS handshake ({e.Message}).", e);
        }
        catch (HttpRequestException e)
        {
            throw new HttpRequestException($"No server answers at {Url} ({e.Message}); --url says where it is.", e);
        }
    }

    /// <summary>The answer's JSON; null when it has no body.</summary>
    /// <exception cref="RefusedException">The server refused, and says why.</exception>
    /// <exception cref="HttpRequestException">There is no server.</exception>
    public async Task<JsonElement?> AskAsync(HttpMethod method, string path, string? body = null)
    {
        using var answer = await SendAsync(method, path, body);
        var text = await answer.Content.ReadAsStringAsync();
        if (!answer.IsSuccessStatusCode)
            throw new RefusedException(Told(text, "Message") ?? $"The server at {Url} answered {(int)answer.StatusCode}.");
        if (text.Length == 0)
            return null;
        using var json = JsonDocument.Parse(text);
        return json.RootElement.Clone();
    }

    /// <summary>A member of an error's body; null when it is no such body.</summary>
    public static string? Told(string body, string member)
    {
        try
        {
            using var error = JsonDocument.Parse(body);
            return error.RootElement.ValueKind == JsonValueKind.Object && error.RootElement.TryGetProperty(member, out var value)
                ? value.GetString()
                : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    public void Dispose()
    {
        _client.Dispose();
        _certificate?.Dispose();
        _own?.Dispose();
    }

    /// <summary>An address that stands for all of the machine's is to listen at; to ask, the machine's own will do.</summary>
    private static Uri Reachable(Uri url) =>
        url.Host switch
        {
            "0.0.0.0" => new UriBuilder(url) { Host = "127.0.0.1" }.Uri,
            "[::]" => new UriBuilder(url) { Host = "[::1]" }.Uri,
            _ => url,
        };

    /// <summary>The server's own certificate from the settings; null where there is none, or none that is needed can be read.</summary>
    private static LoadedCertificate? Own(ServerConfiguration configuration, bool isNeeded)
    {
        if (CertificateFiles.Of(configuration) is not { } files)
            return null;
        try
        {
            return CertificateOpening.Open(files, files.Read());
        }
        catch (CertificateFileException) when (!isNeeded)
        {
            return null;
        }
        catch (CertificateFileException e)
        {
            throw new ConfigurationException($"{e.Message} --certificate FILE names another certificate for this command.", e);
        }
    }

    private static LoadedCertificate Named(ServerClientOptions options)
    {
        var files = new CertificateFiles(options.Certificate!, options.CertificateKey, options.CertificatePassword)
        {
            Names = CertificateNames.OfOptions,
        };
        try
        {
            return CertificateOpening.Open(files, files.Read());
        }
        catch (CertificateFileException e)
        {
            throw new ConfigurationException(e.Message, e);
        }
    }
}
