namespace Jackdaw.Infrastructure.Processes;

/// <summary>A check of <c>infra/checks</c>, run with Node.</summary>
internal static class NodeCheck
{
    public static Task<Command> RunAsync(string check, params string[] arguments)
    {
        Assert.True(
            Directory.Exists(Checkout.At("infra", "checks", "node_modules")),
            "Run eng/test-prerequisites first: the npm packages of infra/checks are missing."
        );
        return Command.RunAsync("node", [Checkout.At("infra", "checks", check), .. arguments]);
    }
}
