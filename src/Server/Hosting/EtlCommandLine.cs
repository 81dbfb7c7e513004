using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Hosting;

/// <summary>The arguments of <c>run etl …</c>: words, switches, and settings of the server.</summary>
internal sealed class EtlCommandLine
{
    private static readonly string[] Switches = ["--json", "--yes", "--all", "--as-stored"];
    private static readonly string[] Options = [.. ServerClientOptions.Names, "--task", "--transform", "--id", "--state"];

    private readonly HashSet<string> _switches = [];
    private readonly Dictionary<string, string> _options = [];

    /// <summary>What stands without dashes, in order.</summary>
    public List<string> Words { get; } = [];

    /// <summary>Where the server is, and who asks.</summary>
    public ServerClientOptions Server => ServerClientOptions.Of(Option);

    /// <summary>Everything else: settings.</summary>
    public List<string> Settings { get; } = [];

    public bool this[string name] => _switches.Contains(name);

    /// <summary>Null when it was not given.</summary>
    public string? Option(string name) => _options.GetValueOrDefault(name);

    /// <exception cref="ConfigurationException">An option has no value.</exception>
    public static EtlCommandLine Parse(IReadOnlyList<string> arguments)
    {
        var parsed = new EtlCommandLine();
        for (var i = 0; i < arguments.Count; i++)
        {
            var argument = arguments[i];
            var equals = argument.IndexOf('=', StringComparison.Ordinal);
            var name = equals < 0 ? argument : argument[..equals];
            if (Switches.Contains(argument))
                parsed._switches.Add(argument);
            else if (Options.Contains(name))
                parsed._options[name] =
                    equals >= 0 ? argument[(equals + 1)..]
                    : i + 1 < arguments.Count ? arguments[++i]
                    : throw new ConfigurationException($"{name} needs a value.");
            else if (!argument.StartsWith("--", StringComparison.Ordinal))
                parsed.Words.Add(argument);
            else
                i = ServerClient.AddSetting(parsed.Settings, arguments, i);
        }
        return parsed;
    }
}
