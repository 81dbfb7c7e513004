using Jackdaw.Brokers;

namespace Jackdaw.Demo.Parts;

/// <summary>What runs a function app: the Azure Functions Core Tools, or the stand-in of this repository.</summary>
/// <param name="Description">As the demo names it.</param>
/// <param name="Patience">How long its first function may take to run.</param>
/// <param name="Command">Starts it for the app in a folder.</param>
internal sealed record FunctionsHost(
    string Description,
    TimeSpan Patience,
    Func<string, IReadOnlyDictionary<string, string>, BrokerCommand> Command
)
{
    private static string StandInAssembly => Checkout.At("tests", "FunctionHost", "bin", "Release", "net10.0", "Jackdaw.FunctionHost.dll");

    /// <summary>The Core Tools where they are on the PATH, else the stand-in.</summary>
    public static FunctionsHost Find(bool standIn)
    {
        var func = standIn
            ? null
            : (Environment.GetEnvironmentVariable("PATH") ?? "")
                .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
                .Select(folder => Path.Combine(folder, "func"))
                .FirstOrDefault(File.Exists);
        if (func is null)
            return new(
                standIn
                    ? "the stand-in host (tests/FunctionHost)"
                    : "the stand-in host (tests/FunctionHost), because 'func', the Azure Functions Core Tools, is not on the PATH",
                TimeSpan.FromMinutes(1),
                (app, settings) => new BrokerCommand("dotnet", [StandInAssembly, "--app", app], settings)
            );
        return new(
            $"the Azure Functions Core Tools ({func}), which download their extensions the first time",
            TimeSpan.FromMinutes(5),
            (_, settings) => new BrokerCommand(func, ["start", "--port", $"{LoopbackPort.Find()}"], settings)
        );
    }
}
