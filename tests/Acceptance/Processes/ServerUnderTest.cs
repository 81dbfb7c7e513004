using System.Diagnostics;
using System.Text;

namespace Jackdaw.Acceptance.Processes;

/// <summary>The real server in a process of its own, on a free port, with a data folder that goes with the last server on it.</summary>
internal sealed class ServerUnderTest : IAsyncDisposable
{
    private readonly Process _process;
    private readonly StringBuilder _errors = new();
    private readonly StringBuilder _output = new();
    private readonly TaskCompletionSource<string> _available = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly bool _ownsFolder;

    private ServerUnderTest(string folder, bool ownsFolder, IEnumerable<string> arguments, IReadOnlyDictionary<string, string>? environment)
    {
        Folder = folder;
        _ownsFolder = ownsFolder;
        var start = new ProcessStartInfo("dotnet")
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder,
        };
        start.ArgumentList.Add(Repository.ServerAssembly);
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        // What is meant for the tests is no setting of the server.
        foreach (
            var name in start
                .Environment.Keys.Where(name => name.StartsWith("JACKDAW_", StringComparison.Ordinal) && name != "JACKDAW_JAVASCRIPTCORE")
                .ToArray()
        )
            start.Environment.Remove(name);
        foreach (var (name, value) in environment ?? new Dictionary<string, string>())
            start.Environment[name] = value;
        _process = new Process { StartInfo = start, EnableRaisingEvents = true };
        _process.OutputDataReceived += OnOutput;
        _process.ErrorDataReceived += (_, line) =>
        {
            lock (_errors)
                _errors.AppendLine(line.Data);
        };
        _process.Exited += (_, _) =>
            _available.TrySetException(
                new InvalidOperationException($"The server ended with code {_process.ExitCode} before it was available.")
            );
    }

    public string Folder { get; }

    public string DataDirectory => Path.Combine(Folder, "data");

    /// <summary>As printed, and after the process ended still what it was.</summary>
    public string Url { get; private set; } = "";

    public int ProcessId => _process.Id;

    public int ExitCode => _process.ExitCode;

    public bool HasExited => _process.HasExited;

    /// <summary>Everything on standard output so far.</summary>
    public string Output
    {
        get
        {
            lock (_errors)
                return _output.ToString();
        }
    }

    public string Errors
    {
        get
        {
            lock (_errors)
                return _errors.ToString();
        }
    }

    /// <summary>Starts a server on a new folder and waits until it is available.</summary>
    public static Task<ServerUnderTest> StartAsync(params string[] arguments) => StartAsync(null, arguments);

    /// <summary>Starts a server on a folder that outlives it, and waits until it is available.</summary>
    public static async Task<ServerUnderTest> StartAsync(
        string? folder,
        string[] arguments,
        IReadOnlyDictionary<string, string>? environment = null
    )
    {
        var server = Launch(folder, arguments, environment);
        try
        {
            server.Url = await server._available.Task.WaitAsync(Eventually.Patience);
            return server;
        }
        catch (Exception e) when (e is TimeoutException or InvalidOperationException)
        {
            await server.DisposeAsync();
            throw new InvalidOperationException($"The server did not start: {e.Message}\n{server.Errors}", e);
        }
    }

    /// <summary>Starts a server that may kill itself at any moment, also before it is available: then null.</summary>
    public static async Task<ServerUnderTest?> StartDoomedAsync(string folder, params string[] arguments)
    {
        const int Killed = 137;
        var server = Launch(folder, arguments);
        var ended = server._process.WaitForExitAsync();
        if (await Task.WhenAny(server._available.Task, ended).WaitAsync(Eventually.Patience) == ended || server._available.Task.IsFaulted)
        {
            await ended;
            Assert.True(
                server.ExitCode == Killed,
                $"The server ended with code {server.ExitCode} before it was available.\n{server.Errors}"
            );
            await server.DisposeAsync();
            return null;
        }
        server.Url = await server._available.Task;
        return server;
    }

    /// <summary>Starts a process without waiting for anything.</summary>
    public static ServerUnderTest Launch(string? folder, string[] arguments, IReadOnlyDictionary<string, string>? environment = null)
    {
        var directory = folder ?? Directory.CreateTempSubdirectory("jackdaw-acceptance-").FullName;
        string[] all = arguments.Contains("--no-defaults")
            ? [.. arguments.Where(a => a != "--no-defaults")]
            : [.. arguments, "--ServerUrl=http://127.0.0.1:0"];
        var server = new ServerUnderTest(directory, folder is null, all, environment);
        server._process.Start();
        server._process.BeginOutputReadLine();
        server._process.BeginErrorReadLine();
        return server;
    }

    /// <summary>Ends it by SIGTERM and gives its exit code.</summary>
    public async Task<int> StopAsync()
    {
        using (var kill = Process.Start("kill", ["-TERM", $"{_process.Id}"]))
            await kill.WaitForExitAsync();
        return await WaitForExitAsync();
    }

    public async Task<int> WaitForExitAsync()
    {
        await _process.WaitForExitAsync().WaitAsync(Eventually.Patience);
        return _process.ExitCode;
    }

    /// <summary>kill -9.</summary>
    public async Task KillAsync()
    {
        _process.Kill();
        await WaitForExitAsync();
    }

    public async Task WriteLineAsync(string line)
    {
        await _process.StandardInput.WriteLineAsync(line);
        await _process.StandardInput.FlushAsync();
    }

    public async Task WriteAsync(string text)
    {
        await _process.StandardInput.WriteAsync(text);
        await _process.StandardInput.FlushAsync();
    }

    public void CloseStandardInput() => _process.StandardInput.Close();

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            await _process.WaitForExitAsync();
        }
        _process.Dispose();
        if (_ownsFolder)
            Directory.Delete(Folder, recursive: true);
    }

    private void OnOutput(object sender, DataReceivedEventArgs line)
    {
        const string Contract = "Server available on: ";
        lock (_errors)
            _output.AppendLine(line.Data);
        if (line.Data?.StartsWith(Contract, StringComparison.Ordinal) == true)
            _available.TrySetResult(line.Data[Contract.Length..]);
    }
}
