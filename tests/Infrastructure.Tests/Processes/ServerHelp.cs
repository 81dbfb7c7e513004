namespace Jackdaw.Infrastructure.Processes;

/// <summary>What the server's <c>--help</c> prints: every setting that it knows.</summary>
internal static class ServerHelp
{
    private static readonly Lazy<Task<string>> s_text = new(() => Command.MustAsync("dotnet", [Checkout.ServerAssembly, "--help"]));

    public static Task<string> Text => s_text.Value;
}
