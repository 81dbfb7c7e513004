using Jackdaw.Documents;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Server.Configuration;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Server.Hosting;

/// <summary>The commands of the executable. The exit code is 0 when all went well, 1 when the work failed, 2 when the command line or the settings are wrong.</summary>
internal static class CommandLine
{
    public const int Success = 0;
    public const int Failure = 1;
    public const int WrongUsage = 2;

    public static async Task<int> RunAsync(string[] arguments)
    {
        try
        {
            if (arguments.Any(a => a is "--help" or "-h" or "-?" or "help"))
                return HelpText.Print(Console.Out);
            if (arguments is ["--version" or "version"])
            {
                Console.WriteLine($"Jackdaw {ProductVersion.Number} (protocol {Http.ProtocolVersion.Full})");
                return Success;
            }
            var hasCommand = arguments.Length > 0 && !arguments[0].StartsWith('-');
            var settings = hasCommand ? arguments[1..] : arguments;
            return (hasCommand ? arguments[0] : "serve") switch
            {
                "serve" => await ServerProcess.RunAsync(ServerConfiguration.Read(settings, Environment.GetEnvironmentVariables())),
                "check" => Check(ServerConfiguration.Read(settings, Environment.GetEnvironmentVariables())),
                "compact" => Compact(ServerConfiguration.Read(settings, Environment.GetEnvironmentVariables())),
                var unknown => throw new ConfigurationException($"Unknown command '{unknown}'; see --help."),
            };
        }
        catch (ConfigurationException e)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return WrongUsage;
        }
        catch (Exception e) when (e is StorageException or IOException)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return Failure;
        }
    }

    private static int Check(ServerConfiguration configuration) =>
        DataFolderMaintenance.Check(Options(configuration), Console.Out) ? Success : Failure;

    private static int Compact(ServerConfiguration configuration)
    {
        DataFolderMaintenance.Compact(Options(configuration), Console.Out);
        return Success;
    }

    private static DatabasesOptions Options(ServerConfiguration configuration) => new() { DataDir = configuration.DataDirectory, Limits = configuration.Limits };
}
