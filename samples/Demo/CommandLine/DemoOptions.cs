using System.Globalization;

namespace Jackdaw.Demo.CommandLine;

/// <summary>What the command line says; <c>usage.txt</c> explains it.</summary>
internal sealed record DemoOptions
{
    private const int HighestPort = 65_535;

    /// <summary>Where data and logs stay; null: in a temporary folder.</summary>
    public string? Folder { get; private init; }

    /// <summary>How many rounds until the end; null: some, and then until somebody ends the demo.</summary>
    public int? Rounds { get; private init; }

    /// <summary>The server's port; null: the usual one or any, 0: any.</summary>
    public int? Port { get; private init; }

    /// <summary>A function app instead of the one of this repository.</summary>
    public string? App { get; private init; }

    /// <summary>Whether the stand-in host runs the functions, whatever is installed.</summary>
    public bool StandIn { get; private init; }

    /// <summary>Whether only the usage is wanted.</summary>
    public bool Help { get; private init; }

    /// <summary>Reads the words of the command line.</summary>
    /// <exception cref="UsageException">They make no sense.</exception>
    public static DemoOptions Parse(IReadOnlyList<string> words)
    {
        var options = new DemoOptions();
        for (var at = 0; at < words.Count; at++)
        {
            var name = words[at];
            string Value() => ++at < words.Count ? words[at] : throw new UsageException($"{name} needs a value");
            options = name switch
            {
                "--help" or "-h" => options with { Help = true },
                "--stand-in" => options with { StandIn = true },
                "--folder" => options with { Folder = Path.GetFullPath(Value()) },
                "--app" => options with { App = Path.GetFullPath(Value()) },
                "--rounds" => options with { Rounds = Number(name, Value(), from: 1, to: int.MaxValue) },
                "--port" => options with { Port = Number(name, Value(), from: 0, to: HighestPort) },
                _ => throw new UsageException($"'{name}' is not known"),
            };
        }
        if (options.App is { } app && !File.Exists(Path.Combine(app, "host.json")))
            throw new UsageException($"'{app}' is not a built function app: it has no host.json");
        return options;
    }

    private static int Number(string name, string text, int from, int to) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number >= from && number <= to
            ? number
            : throw new UsageException(
                to == int.MaxValue
                    ? $"{name} takes a number from {from}, not '{text}'"
                    : $"{name} takes a number from {from} to {to}, not '{text}'"
            );
}
