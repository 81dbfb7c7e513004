namespace Jackdaw.Server.Hosting;

/// <summary>The arguments of <c>run etl …</c>.</summary>
internal sealed class EtlCommandLine(IReadOnlyList<string> arguments)
    : CommandArguments(arguments, s_switches, s_options, takesSettings: true)
{
    private static readonly string[] s_switches = ["--json", "--yes", "--all", "--as-stored"];
    private static readonly string[] s_options = [.. ServerClientOptions.Names, "--task", "--transform", "--id", "--state"];

    /// <summary>Where the server is, and who asks.</summary>
    public ServerClientOptions Server => ServerClientOptions.Of(Option);
}
