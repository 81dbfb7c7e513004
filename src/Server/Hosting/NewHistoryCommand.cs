using Jackdaw.Documents;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Security.Audit;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Server.Hosting;

/// <summary>Gives the databases of a stopped server's data folder a new history: <c>run new-history</c>.</summary>
internal static class NewHistoryCommand
{
    private const string All = "--all";

    /// <summary>Returns the process's exit code.</summary>
    /// <exception cref="ConfigurationException">Not exactly one of a database and <c>--all</c> is named, or a setting is wrong.</exception>
    public static async Task<int> RunAsync(string[] arguments, TextWriter output)
    {
        var isAll = arguments.Contains(All);
        var name = arguments is [var first, ..] && !first.StartsWith('-') ? first : null;
        if (isAll == name is not null)
            throw new ConfigurationException(
                "Say which database gets a new history: run new-history DATABASE [settings]; or run new-history --all [settings], "
                    + "when the whole data folder came from a snapshot."
            );
        var given = arguments.Skip(name is null ? 0 : 1).Where(argument => argument != All).ToList();
        var settings = new List<string>();
        for (var i = 0; i < given.Count; i++)
            i = ServerClient.AddSetting(settings, given, i);
        var configuration = ServerConfiguration.Read(settings, Environment.GetEnvironmentVariables());
        foreach (var warning in configuration.Warnings)
            await Console.Error.WriteLineAsync(warning);
        await output.WriteLineAsync($"The data folder is '{configuration.DataDirectory}'.");
        try
        {
            var options = configuration.DatabasesOptions();
            var isDone = false;
            bool Run() => isDone = name is null ? NewHistory.RunAll(options, output) : NewHistory.Run(options, name, output);
            if (StoppedSystem.IsThere(options))
                await CommandAudit.RunAsync(
                    configuration,
                    "new-history",
                    name ?? All,
                    () => Task.FromResult(Run() ? null : "Not every database that was named has a new history.")
                );
            else
                // Refused: there is nothing to change.
                Run();
            return isDone ? CommandLine.Success : CommandLine.Failure;
        }
        catch (EnvironmentLockedException locked)
        {
            await Console.Error.WriteLineAsync($"{locked.Message} Stop the server, then run new-history, then start the server again.");
            return CommandLine.Failure;
        }
    }
}
