using System.Runtime.InteropServices;
using Jackdaw.FunctionHost;
using Jackdaw.FunctionHost.Apps;

const string Usage = """
    Stands in for the Azure Functions host on this machine: runs a function app with a custom handler.

    dotnet Jackdaw.FunctionHost.dll --app FOLDER [--lease SECONDS] [--look MILLISECONDS]

      --app FOLDER       the folder with host.json, the handler and a folder for each function
      --lease SECONDS    how long a message of a storage queue is out of sight while its function runs (600, as in the real host);
                         that long a message waits whose host was killed
      --look MILLISECONDS  the pause between looks at a storage queue, instead of growing ones: for measurements without the poll
      --mistake NAME     does something wrong, for tests that must notice: AcknowledgesEarly or ForgetsFailures

    The app settings are environment variables. Triggers: queueTrigger, rabbitMQTrigger, kafkaTrigger; output bindings: queue.
    Ends on SIGTERM or Ctrl+C within ten seconds.
    """;

string? folder = null;
var options = new HostOptions();
for (var i = 0; i < args.Length; i++)
{
    var value = i + 1 < args.Length ? args[i + 1] : null;
    switch (args[i])
    {
        case "--help" or "-h":
            Console.WriteLine(Usage);
            return 0;
        case "--app" when value is not null:
            folder = value;
            break;
        case "--lease" when int.TryParse(value, out var seconds) && seconds is > 0 and <= 604_800:
            options = options with { Lease = TimeSpan.FromSeconds(seconds) };
            break;
        case "--look" when int.TryParse(value, out var milliseconds) && milliseconds is > 0 and <= 60_000:
            options = options with { Look = TimeSpan.FromMilliseconds(milliseconds) };
            break;
        case "--mistake" when Enum.TryParse<HostMistake>(value, out var mistake):
            options = options with { Mistake = mistake };
            break;
        default:
            Console.Error.WriteLine($"'{args[i]}' is no option, or its value is missing or wrong.\n\n{Usage}");
            return 2;
    }
    i++;
}
if (folder is null)
{
    Console.Error.WriteLine($"--app is missing.\n\n{Usage}");
    return 2;
}

using var end = new CancellationTokenSource();
void End(PosixSignalContext context)
{
    context.Cancel = true;
    end.Cancel();
}
using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);
using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, End);
try
{
    await using var host = FunctionHost.Start(folder, AppSettings.OfThisProcess(), options, Console.WriteLine);
    try
    {
        await host.ReadyAsync(end.Token);
        Console.WriteLine($"{FunctionHostProcess.Ready} {string.Join(", ", host.Functions)}");
        await Task.Delay(Timeout.Infinite, end.Token);
    }
    catch (OperationCanceledException)
    {
        Console.WriteLine("The host stops.");
    }
    return 0;
}
catch (AppException e)
{
    Console.Error.WriteLine(e.Message);
    return 1;
}
