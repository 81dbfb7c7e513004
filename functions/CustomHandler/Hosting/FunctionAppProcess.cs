using Jackdaw.Functions.CustomHandler.Configuration;
using Jackdaw.Functions.CustomHandler.Running;
using Microsoft.Extensions.Hosting;

namespace Jackdaw.Functions.CustomHandler.Hosting;

/// <summary>The process: settings, web server, stop.</summary>
public static class FunctionAppProcess
{
    private const int Failure = 1;
    private const int WrongSettings = 2;

    /// <summary>Returns the exit code: 0 after a stop in order, 1 when a handler had to be given up, 2 for wrong settings.</summary>
    /// <param name="add">Adds functions beside those of this app; null: none.</param>
    public static async Task<int> RunAsync(Action<OwnFunctions>? add = null)
    {
        try
        {
            var settings = AppSettings.Read(Environment.GetEnvironmentVariable);
            var port = AppSettings.ReadPort(Environment.GetEnvironmentVariable);
            using var stop = new StopSignal();
            await using var app = FunctionApp.Create(settings, port, stop, new AppLog(Console.Out, TimeProvider.System), add);
            await app.StartAsync();
            var ended = app.WaitForShutdownAsync();
            using var watch = new CancellationTokenSource();
            var hostGone = HostWatch.UntilGoneAsync(watch.Token);
            var first = await Task.WhenAny(ended, hostGone, stop.EndRequested);
            if (first == stop.EndRequested)
                return Failure;
            if (first == hostGone)
                await app.StopAsync();
            await ended;
            await watch.CancelAsync();
            return 0;
        }
        catch (SettingException e)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return WrongSettings;
        }
        catch (IOException e)
        {
            // The port is taken.
            await Console.Error.WriteLineAsync(e.Message);
            return Failure;
        }
    }
}
