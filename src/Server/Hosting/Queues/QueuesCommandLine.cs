using System.Globalization;
using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Hosting.Queues;

/// <summary>The arguments of <c>run queues …</c>.</summary>
internal sealed class QueuesCommandLine(IReadOnlyList<string> arguments)
    : CommandArguments(arguments, s_switches, s_options, takesSettings: false)
{
    private static readonly string[] s_switches = ["--json", "--raw", "--dry-run"];
    private static readonly string[] s_options = ["--connection-string", "--queue-service-uri", "--to", "--max"];

    /// <summary>How many messages at most; null: no limit.</summary>
    /// <exception cref="ConfigurationException">It is no such number.</exception>
    public int? Max =>
        Option("--max") is not { } text ? null
        : int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var max) && max > 0 ? max
        : throw new ConfigurationException($"--max takes a number of messages from 1 on, not '{text}'.");
}
