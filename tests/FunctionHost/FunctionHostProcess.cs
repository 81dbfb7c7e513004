using System.Text.RegularExpressions;
using Jackdaw.Brokers;
using Jackdaw.FunctionHost.Apps;

namespace Jackdaw.FunctionHost;

/// <summary>
/// A host of functions in a process of its own: <c>func</c> where that is installed, else the stand-in. Ends no later than this process,
/// and its handler with it.
/// </summary>
public sealed partial class FunctionHostProcess : IAsyncDisposable
{
    /// <summary>How the stand-in's line begins that says that the handler answers.</summary>
    internal const string Ready = "The function app is running:";

    private static readonly TimeSpan s_startTimeout = TimeSpan.FromSeconds(120);

    private readonly BrokerProcess _process;
    private readonly string _readyMark;
    private int _succeeded;
    private int _failed;
    private volatile bool _isReady;

    private FunctionHostProcess(string name, BrokerCommand command, string folder, string readyMark)
    {
        Name = name;
        _readyMark = readyMark;
        _process = BrokerProcess.Start(command, folder, Hear);
    }

    /// <summary>Which host it is.</summary>
    public string Name { get; }

    /// <summary>Whether <c>func</c> is on the PATH.</summary>
    public static bool IsFuncInstalled { get; } = HostFile.IsOnThePath("func");

    /// <summary>Which host <see cref="StartAsync"/> starts.</summary>
    public static string DefaultName => IsFuncInstalled ? "func" : "the stand-in for the Functions host";

    /// <summary>Told each line of what the host says, of several threads.</summary>
    public event Action<string>? Said;

    /// <summary>Invocations that succeeded.</summary>
    public int Succeeded => Volatile.Read(ref _succeeded);

    /// <summary>Invocations that failed.</summary>
    public int Failed => Volatile.Read(ref _failed);

    /// <summary>The last lines that it said.</summary>
    public string Output => _process.Output;

    /// <summary>Whether the process has ended.</summary>
    public bool HasExited => _process.HasExited;

    /// <summary>Starts an app and waits until its handler answers: with <c>func</c> where that is installed, unless a mistake is planted.
    /// Throws <see cref="BrokerFailedException"/> when the handler does not answer.</summary>
    /// <param name="appFolder">The app's folder, with host.json.</param>
    /// <param name="settings">App settings, beside this process's environment.</param>
    /// <param name="options">Of the stand-in.</param>
    public static Task<FunctionHostProcess> StartAsync(
        string appFolder,
        IReadOnlyDictionary<string, string> settings,
        HostOptions options
    ) =>
        IsFuncInstalled && options.Mistake == HostMistake.None
            ? UntilReadyAsync(Func(appFolder, WithoutDots(settings)))
            : StartStandInAsync(appFolder, settings, options);

    /// <summary>Likewise, the stand-in wherever it is.</summary>
    public static Task<FunctionHostProcess> StartStandInAsync(
        string appFolder,
        IReadOnlyDictionary<string, string> settings,
        HostOptions options
    ) => UntilReadyAsync(StandIn(appFolder, WithoutDots(settings), options));

    /// <summary>Ends it in order.</summary>
    public Task StopAsync() => _process.StopAsync();

    /// <summary>kill -9; its handler ends with it.</summary>
    public async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync();
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _process.DisposeAsync();

    /// <summary>The shell that starts it drops names with dots, and the host reads one underscore for each.</summary>
    private static Dictionary<string, string> WithoutDots(IReadOnlyDictionary<string, string> settings) =>
        settings.ToDictionary(one => one.Key.Replace('.', '_'), one => one.Value);

    private static async Task<FunctionHostProcess> UntilReadyAsync(FunctionHostProcess host)
    {
        var isReady = false;
        try
        {
            await host._process.WaitAsync(host.Name, () => Task.FromResult(host._isReady), s_startTimeout);
            isReady = true;
            return host;
        }
        finally
        {
            if (!isReady)
                await host.DisposeAsync();
        }
    }

    private static FunctionHostProcess StandIn(string appFolder, Dictionary<string, string> settings, HostOptions options) =>
        new(
            "the stand-in for the Functions host",
            new BrokerCommand(
                "dotnet",
                [
                    typeof(FunctionHostProcess).Assembly.Location,
                    "--app",
                    appFolder,
                    "--lease",
                    $"{options.Lease.TotalSeconds:0}",
                    "--mistake",
                    options.Mistake.ToString(),
                    .. options.Look is { } look ? new[] { "--look", $"{look.TotalMilliseconds:0}" } : [],
                ],
                settings
            ),
            appFolder,
            Ready
        );

    /// <summary>The real host on this machine, as the Core Tools start it.</summary>
    private static FunctionHostProcess Func(string appFolder, Dictionary<string, string> settings)
    {
        var environment = new Dictionary<string, string>(settings)
        {
            ["FUNCTIONS_WORKER_RUNTIME"] = "custom",
            ["FUNCTIONS_CORE_TOOLS_TELEMETRY_OPTOUT"] = "1",
        };
        // The host keeps its locks and keys in a storage account.
        if (settings.TryGetValue("Queues", out var storage))
            environment.TryAdd("AzureWebJobsStorage", storage);
        return new FunctionHostProcess(
            "func",
            new BrokerCommand("func", ["start", "--port", $"{LoopbackPort.Find()}"], environment),
            appFolder,
            "Worker process started and initialized"
        );
    }

    private void Hear(string line)
    {
        if (line.Contains(_readyMark, StringComparison.Ordinal))
            _isReady = true;
        if (Executed().Match(line) is { Success: true } executed)
            Interlocked.Increment(ref (executed.Groups[2].Value == "Succeeded" ? ref _succeeded : ref _failed));
        Said?.Invoke(line);
    }

    [GeneratedRegex(@"Executed 'Functions\.([^']+)' \((Succeeded|Failed)")]
    private static partial Regex Executed();
}
