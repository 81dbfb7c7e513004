using System.Globalization;
using Jackdaw.Brokers;

namespace Jackdaw.Demo.Parts;

/// <summary>A process of the demo with a log file. It ends no later than the demo, however the demo ends.</summary>
internal sealed class PartProcess : IAsyncDisposable
{
    private static readonly TimeSpan s_startTimeout = TimeSpan.FromMinutes(2);

    private readonly string _name;
    private readonly BrokerProcess _process;
    private readonly TextWriter _log;

    private PartProcess(string name, BrokerProcess process, TextWriter log) => (_name, _process, _log) = (name, process, log);

    /// <summary>Starts it in a folder.</summary>
    /// <param name="name">As it is called in messages, and its log file.</param>
    /// <param name="command">What is started.</param>
    /// <param name="folder">Where the log goes.</param>
    /// <param name="workingFolder">Where it works.</param>
    /// <param name="reads">Gets each line that it prints; called by two threads at once.</param>
    public static PartProcess Start(string name, BrokerCommand command, DemoFolder folder, string workingFolder, Action<string> reads)
    {
        var log = TextWriter.Synchronized(
            new StreamWriter(
                Path.Combine(folder.Logs, $"{name}.log"),
                new FileStreamOptions
                {
                    Mode = FileMode.Append,
                    Access = FileAccess.Write,
                    Share = FileShare.ReadWrite,
                }
            )
            {
                AutoFlush = true,
            }
        );
        log.WriteLine(string.Create(CultureInfo.InvariantCulture, $"--- {DateTime.UtcNow:yyyy-MM-dd HH:mm:ss}Z {command.Program}"));
        var process = BrokerProcess.Start(
            command,
            workingFolder,
            line =>
            {
                log.WriteLine(line);
                reads(line);
            }
        );
        return new PartProcess(name, process, log);
    }

    /// <summary>Waits until it is ready.</summary>
    /// <exception cref="DemoFailedException">It ended first, or took too long.</exception>
    public async Task WaitAsync(Func<bool> isReady)
    {
        try
        {
            await _process.WaitAsync($"The part '{_name}'", () => Task.FromResult(isReady()), s_startTimeout);
        }
        catch (BrokerFailedException e)
        {
            throw new DemoFailedException(e.Message);
        }
    }

    /// <exception cref="DemoFailedException">It has ended, which nobody asked it to.</exception>
    public void RequireAlive()
    {
        if (_process.HasExited)
            throw new DemoFailedException($"The part '{_name}' has ended. It said last:\n{LastLines()}");
    }

    /// <summary>The last lines that it printed.</summary>
    public string LastLines()
    {
        const int Lines = 12;
        return string.Join('\n', _process.Output.Split('\n').TakeLast(Lines).Select(line => $"    {line}"));
    }

    /// <summary>Asks it to end, and ends it by force when it does not.</summary>
    public async ValueTask DisposeAsync()
    {
        await _process.StopAsync();
        await _process.DisposeAsync();
        await _log.DisposeAsync();
    }
}
