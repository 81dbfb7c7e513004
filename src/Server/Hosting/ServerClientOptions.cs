using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Hosting;

/// <summary>How a command reaches a running server and who it is there, as its command line says.</summary>
/// <param name="Url">Where the server is; null: where the settings have it listen.</param>
/// <param name="Certificate">A PFX or PEM file with the client's certificate; null: the server's own, from the settings.</param>
/// <param name="CertificateKey">The key of a PEM certificate, when it is a file of its own.</param>
/// <param name="CertificatePassword">Opens the file or the key.</param>
/// <param name="ServerPin">Names the server's certificate or key; null: the server's own certificate from the settings, or what this
/// machine trusts.</param>
internal sealed record ServerClientOptions(
    string? Url = null,
    string? Certificate = null,
    string? CertificateKey = null,
    string? CertificatePassword = null,
    string? ServerPin = null
)
{
    /// <summary>The options' names on the command line.</summary>
    public static readonly IReadOnlyList<string> Names =
    [
        "--url",
        "--certificate",
        "--certificate-key",
        "--certificate-password",
        "--server-pin",
    ];

    /// <summary>Takes these options out of the arguments of a command: <c>--name value</c> or <c>--name=value</c>.</summary>
    /// <exception cref="ConfigurationException">An option has no value.</exception>
    public static ServerClientOptions Take(List<string> arguments)
    {
        var taken = new Dictionary<string, string>(StringComparer.Ordinal);
        for (var i = 0; i < arguments.Count; )
        {
            var equals = arguments[i].IndexOf('=', StringComparison.Ordinal);
            var name = equals < 0 ? arguments[i] : arguments[i][..equals];
            if (!Names.Contains(name))
            {
                i++;
                continue;
            }
            if (equals < 0 && i + 1 >= arguments.Count)
                throw new ConfigurationException($"{name} needs a value.");
            taken[name] = equals < 0 ? arguments[i + 1] : arguments[i][(equals + 1)..];
            arguments.RemoveRange(i, equals < 0 ? 2 : 1);
        }
        return Of(taken.GetValueOrDefault);
    }

    /// <summary>The options as <paramref name="option"/> gives them by their names; null for one that is not there.</summary>
    public static ServerClientOptions Of(Func<string, string?> option) =>
        new(
            option("--url"),
            option("--certificate"),
            option("--certificate-key"),
            option("--certificate-password"),
            option("--server-pin")
        );

    /// <summary>The settings with the server's address as these options name it.</summary>
    /// <exception cref="ConfigurationException">The address is none.</exception>
    public ServerConfiguration Read(IEnumerable<string> settings) =>
        ServerConfiguration.ReadToAsk(
            [.. settings, .. Url is null ? [] : (string[])[$"--{KnownSettings.ServerUrl}={Url}"]],
            Environment.GetEnvironmentVariables()
        );
}
