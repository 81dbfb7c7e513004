using Jackdaw.Brokers;
using Jackdaw.Demo.CommandLine;

namespace Jackdaw.Demo;

/// <summary>The program: reads the command line, runs the demo, and says how it ended.</summary>
internal static class DemoCommand
{
    private const int Success = 0;
    private const int Failure = 1;
    private const int WrongUsage = 2;

    /// <summary>Returns the exit code.</summary>
    public static async Task<int> RunAsync(string[] arguments, TextWriter output, TextWriter errors)
    {
        DemoOptions options;
        try
        {
            options = DemoOptions.Parse(arguments);
        }
        catch (UsageException e)
        {
            await errors.WriteLineAsync($"demo: {e.Message}; see ./run --demo --help.");
            return WrongUsage;
        }
        if (options.Help)
        {
            await output.WriteAsync(Usage.Text);
            return Success;
        }
        ForgetSettings();
        using var stop = new StopSignal();
        using var folder = new DemoFolder(options.Folder);
        try
        {
            await using var demo = new Scenario(options, folder, new Screen(output));
            await demo.RunAsync(stop.Token);
            return Success;
        }
        catch (OperationCanceledException) when (stop.Token.IsCancellationRequested)
        {
            await output.WriteLineAsync(
                folder.IsTemporary
                    ? "The demo has ended. All its processes have ended, and its data is removed."
                    : $"The demo has ended. All its processes have ended. Its data is in {folder.Path}; the same --folder continues with it."
            );
            return Success;
        }
        catch (Exception e) when (e is DemoFailedException or BrokerFailedException or HttpRequestException or IOException)
        {
            folder.Keep();
            await errors.WriteLineAsync($"The demo failed: {e.Message}\nThe logs of its parts are in {folder.Logs}.");
            return Failure;
        }
    }

    /// <summary>Settings of another server in the environment are not for the demo's.</summary>
    private static void ForgetSettings()
    {
        foreach (string name in Environment.GetEnvironmentVariables().Keys)
            if (name.StartsWith("JACKDAW_", StringComparison.Ordinal) && name != "JACKDAW_JAVASCRIPTCORE")
                Environment.SetEnvironmentVariable(name, null);
    }
}
