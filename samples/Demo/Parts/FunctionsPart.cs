using System.Collections.Concurrent;

namespace Jackdaw.Demo.Parts;

/// <summary>A function app under its host. Tells of each function that ran.</summary>
internal sealed class FunctionsPart : IAsyncDisposable
{
    private readonly PartProcess _process;
    private readonly Screen _screen;
    private readonly ConcurrentDictionary<string, int> _runs = [];

    /// <summary>Starts the host, without waiting for it: messages wait in their queues.</summary>
    public FunctionsPart(FunctionsHost host, string app, IReadOnlyDictionary<string, string> settings, DemoFolder folder, Screen screen)
    {
        _screen = screen;
        _process = PartProcess.Start("functions", host.Command(app, settings), folder, app, Read);
    }

    /// <summary>How often a function has succeeded.</summary>
    public int RunsOf(string function) => _runs.GetValueOrDefault(function);

    public void RequireAlive() => _process.RequireAlive();

    /// <summary>The last lines that the host printed.</summary>
    public string LastLines() => _process.LastLines();

    public ValueTask DisposeAsync() => _process.DisposeAsync();

    private void Read(string line)
    {
        if (Execution.Parse(line) is not { } run)
            return;
        _screen.Say("function", run.Succeeded ? $"{run.Function} succeeded in {run.Duration}" : $"{run.Function} FAILED {run.Rest}");
        if (run.Succeeded)
            _runs.AddOrUpdate(run.Function, 1, (_, count) => count + 1);
    }
}
