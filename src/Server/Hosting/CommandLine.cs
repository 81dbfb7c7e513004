using Jackdaw.Documents;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Hosting.Certificates;
using Jackdaw.Server.Hosting.Queues;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Server.Hosting;

/// <summary>The commands of the executable. The exit code is 0 when all went well, 1 when the work failed, 2 when the command
/// line or the settings are wrong.</summary>
internal static class CommandLine
{
    public const int Success = 0;
    public const int Failure = 1;
    public const int WrongUsage = 2;

    private const string AcceptDataLoss = "--accept-data-loss";

    public static async Task<int> RunAsync(string[] arguments)
    {
        try
        {
            if (arguments is ["certificates", .. var ofCertificates])
                return await CertificatesCommand.RunAsync(ofCertificates, Console.In, Console.Out);
            if (arguments is ["queues", .. var ofQueues])
                return await QueuesCommand.RunAsync(ofQueues, Console.Out);
            if (arguments.Any(a => a is "--help" or "-h" or "-?" or "help"))
                return HelpText.Print(Console.Out);
            if (arguments is ["--version" or "version"])
            {
                Console.WriteLine($"Jackdaw {ProductVersion.Number} (protocol {Http.ProtocolVersion.Full})");
                return Success;
            }
            var hasCommand = arguments.Length > 0 && !arguments[0].StartsWith('-');
            var command = hasCommand ? arguments[0] : "serve";
            if (command == "copy")
                return await OnlineCopyCommand.RunAsync(arguments[1..], Console.Out);
            if (command == "new-history")
                return await NewHistoryCommand.RunAsync(arguments[1..], Console.Out);
            if (command == "etl")
                return await EtlCommand.RunAsync(arguments[1..], Console.In, Console.Out);
            var acceptsLoss = arguments.Contains(AcceptDataLoss);
            var configuration = ServerConfiguration.Read(
                (hasCommand ? arguments[1..] : arguments).Where(a => command != "recover" || a != AcceptDataLoss).ToList(),
                Environment.GetEnvironmentVariables()
            );
            if (StorageEnvironment.CompressionNotice(StorageEnvironment.CanCompress) is { } notice)
                await Console.Error.WriteLineAsync($"Warning: {notice}");
            if (command != "serve")
                foreach (var warning in configuration.Warnings)
                    await Console.Error.WriteLineAsync(warning);
            return command switch
            {
                "serve" => await ServerProcess.RunAsync(configuration),
                "check" => Check(configuration.DatabasesOptions()) ? Success : Failure,
                "compact" => Compact(configuration),
                "adopt" => DatabaseAdoption.Run(configuration.DatabasesOptions(), Console.Out) ? Success : Failure,
                "recover" when acceptsLoss => DataLossRecovery.Run(configuration.DatabasesOptions(), Console.Out) ? Success : Failure,
                "recover" => throw new ConfigurationException(
                    "recover opens a damaged data folder at its last good record and gives up what lies "
                        + $"behind it: say {AcceptDataLoss} if that is meant, and keep a copy of the folder."
                ),
                _ => throw new ConfigurationException($"Unknown command '{command}'; see --help."),
            };
        }
        catch (ConfigurationException e)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return WrongUsage;
        }
        catch (Exception e) when (e is StorageException or IOException or HttpRequestException or RefusedException)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return Failure;
        }
    }

    /// <summary>Both parts, whatever the first has found.</summary>
    private static bool Check(DatabasesOptions options) =>
        DataFolderMaintenance.Check(options, Console.Out) & CertificatesCheck.Run(options, Console.Out);

    private static int Compact(ServerConfiguration configuration)
    {
        DataFolderMaintenance.Compact(configuration.DatabasesOptions(), Console.Out);
        return Success;
    }
}
