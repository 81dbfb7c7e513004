using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Hosting;

/// <summary>The arguments of a command: words, switches and options with a value, after <c>=</c> or as the next argument.</summary>
internal abstract class CommandArguments
{
    private readonly HashSet<string> _switches = [];
    private readonly List<(string Name, string Value)> _options = [];

    /// <summary>Reads arguments.</summary>
    /// <param name="arguments">What follows the command's name.</param>
    /// <param name="switches">Those without a value.</param>
    /// <param name="options">Those with a value.</param>
    /// <param name="takesSettings">What is neither is a setting of the server.</param>
    /// <exception cref="ConfigurationException">An argument is unknown, or an option has no value.</exception>
    protected CommandArguments(IReadOnlyList<string> arguments, string[] switches, string[] options, bool takesSettings)
    {
        for (var i = 0; i < arguments.Count; i++)
        {
            var argument = arguments[i];
            var equals = argument.IndexOf('=', StringComparison.Ordinal);
            var name = equals < 0 ? argument : argument[..equals];
            if (switches.Contains(argument))
                _switches.Add(argument);
            else if (options.Contains(name))
                _options.Add((name, equals >= 0 ? argument[(equals + 1)..] : Next(arguments, ref i)));
            else if (!argument.StartsWith('-'))
                Words.Add(argument);
            else if (takesSettings)
                i = ServerClient.AddSetting(Settings, arguments, i);
            else
                throw new ConfigurationException($"'{argument}' is no option of this command; see --help.");
        }
    }

    /// <summary>What stands without dashes, in order.</summary>
    public List<string> Words { get; } = [];

    /// <summary>Everything else: settings.</summary>
    public List<string> Settings { get; } = [];

    /// <summary>Whether a switch was given.</summary>
    public bool this[string name] => _switches.Contains(name);

    /// <summary>The last value of an option; null when it was not given.</summary>
    public string? Option(string name) => _options.LastOrDefault(one => one.Name == name).Value;

    /// <summary>All values of an option, in order.</summary>
    protected IEnumerable<string> All(string option) => _options.Where(one => one.Name == option).Select(one => one.Value);

    private static string Next(IReadOnlyList<string> arguments, ref int i) =>
        i + 1 < arguments.Count ? arguments[++i] : throw new ConfigurationException($"{arguments[i]} needs a value.");
}
