using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Hosting;

/// <summary>A running server, asked over HTTP by a command of this executable with the same settings.</summary>
internal sealed class ServerClient : IDisposable
{
    private readonly X509Certificate2? _certificate;
    private readonly HttpClient _client;

    /// <exception cref="ConfigurationException">The certificate cannot be read.</exception>
    public ServerClient(ServerConfiguration configuration)
    {
        Url = configuration.ServerUrl;
        _certificate = ServerProcess.LoadCertificate(configuration);
        var handler = new SocketsHttpHandler();
        if (_certificate is { } own)
        {
            handler.SslOptions.ClientCertificates = [own];
            // The server's own, which need not be one that this machine trusts.
            handler.SslOptions.RemoteCertificateValidationCallback = (_, presented, _, errors) =>
                errors == SslPolicyErrors.None
                || presented?.GetCertHashString(HashAlgorithmName.SHA256) == own.GetCertHashString(HashAlgorithmName.SHA256);
        }
        _client = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
    }

    public Uri Url { get; }

    /// <summary>The settings that name a server by its address: where to ask, not where to listen, so none that would be unsafe
    /// to serve is refused.</summary>
    public static string[] SettingsOf(string url) =>
        [$"--{KnownSettings.ServerUrl}={url}", $"--{KnownSettings.UnsecuredAccessAllowed}=PublicNetwork"];

    /// <summary>A command that changes something must not pass over a misspelt restriction.</summary>
    /// <exception cref="ConfigurationException">The argument is no setting.</exception>
    public static void RequireSetting(string argument)
    {
        var name = argument.Split('=')[0].TrimStart('-');
        if (KnownSettings.Find(name) is null && !name.Equals(SettingValues.ConfigPathArgument, StringComparison.OrdinalIgnoreCase))
            throw new ConfigurationException($"'{argument}' is neither an option of this command nor a setting; see --help.");
    }

    /// <summary>The answer, whatever its status, as soon as its head is there.</summary>
    /// <exception cref="HttpRequestException">There is no server.</exception>
    public async Task<HttpResponseMessage> SendAsync(HttpMethod method, string path)
    {
        using var request = new HttpRequestMessage(method, new Uri(Url, path));
        try
        {
            return await _client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        }
        catch (HttpRequestException e)
        {
            throw new HttpRequestException($"No server answers at {Url} ({e.Message}); --url says where it is.", e);
        }
    }

    /// <summary>The answer's JSON; null when it has no body.</summary>
    /// <exception cref="RefusedException">The server refused, and says why.</exception>
    /// <exception cref="HttpRequestException">There is no server.</exception>
    public async Task<JsonElement?> AskAsync(HttpMethod method, string path)
    {
        using var answer = await SendAsync(method, path);
        var body = await answer.Content.ReadAsStringAsync();
        if (!answer.IsSuccessStatusCode)
            throw new RefusedException(Told(body, "Message") ?? $"The server at {Url} answered {(int)answer.StatusCode}.");
        if (body.Length == 0)
            return null;
        using var json = JsonDocument.Parse(body);
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
    }
}
