using System.Globalization;
using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Hosting.Queues;

/// <summary>The arguments of <c>run queues …</c>.</summary>
internal sealed class QueuesCommandLine
{
    private static readonly string[] Switches = ["--json", "--raw", "--dry-run"];
    private static readonly string[] Options = ["--connection-string", "--queue-service-uri", "--to", "--max"];

    private readonly HashSet<string> _switches = [];
    private readonly Dictionary<string, string> _options = [];

    /// <summary>What stands without dashes, in order.</summary>
    public List<string> Words { get; } = [];

    public bool this[string name] => _switches.Contains(name);

    /// <summary>How many messages at most; null: no limit.</summary>
    public int? Max =>
        Option("--max") is not { } text ? null
        : int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var max) && max > 0 ? max
        : throw new ConfigurationException($"--max takes a number of messages from 1 on, not '{text}'.");

    /// <summary>Null when it was not given.</summary>
    public string? Option(string name) => _options.GetValueOrDefault(name);

    /// <exception cref="ConfigurationException">An argument is unknown, or an option has no value.</exception>
    public static QueuesCommandLine Parse(IReadOnlyList<string> arguments)
    {
        var parsed = new QueuesCommandLine();
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
            else if (!argument.StartsWith('-'))
                parsed.Words.Add(argument);
            else
                throw new ConfigurationException($"'{argument}' is no option of this command; see run queues --help.");
        }
        return parsed;
    }
}
