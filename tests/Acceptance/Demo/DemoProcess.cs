using System.Diagnostics;
using System.Globalization;
using System.Text;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance.Demo;

/// <summary><c>./run --demo</c>, with a mark in its environment that all its processes inherit.</summary>
internal sealed class DemoProcess : IAsyncDisposable
{
    private const string Mark = "DEMO_UNDER_TEST";

    private static readonly string Program = Path.Combine(Repository.Root, "run");

    /// <summary>For a whole round on a machine that does other things.</summary>
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(4);

    private readonly string _mark = Guid.NewGuid().ToString("N");
    private readonly Process _process;
    private readonly StringBuilder _output = new();
    private readonly List<(string Text, TaskCompletionSource Seen)> _awaited = [];

    private DemoProcess(IEnumerable<string> command, IReadOnlyDictionary<string, string>? environment)
    {
        // Tests that a shell runs in the background ignore Ctrl+C, and so would what they start.
        var start = new ProcessStartInfo("/usr/bin/env", ["--default-signal=INT", "/bin/bash", .. command])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = Repository.Root,
        };
        start.Environment[Mark] = _mark;
        foreach (var (name, value) in environment ?? new Dictionary<string, string>())
            start.Environment[name] = value;
        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += OnOutput;
        _process.ErrorDataReceived += OnOutput;
        _process.Start();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    /// <summary>Everything that it printed so far.</summary>
    public string Output
    {
        get
        {
            lock (_output)
                return _output.ToString();
        }
    }

    public static DemoProcess Start(params string[] arguments) => new([Program, "--demo", .. arguments], environment: null);

    public static DemoProcess Start(IReadOnlyDictionary<string, string> environment, params string[] arguments) =>
        new([Program, "--demo", .. arguments], environment);

    /// <summary>Starts it with a reader of its output that ends after some lines; ends when both have.</summary>
    public static DemoProcess StartRead(int lines, IReadOnlyDictionary<string, string> environment, params string[] arguments) =>
        new(["-c", $"\"$0\" --demo \"$@\" | head -n {lines}", Program, .. arguments], environment);

    /// <summary>Waits until it has printed a text.</summary>
    public async Task SaysAsync(string text)
    {
        var seen = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_output)
        {
            if (_output.ToString().Contains(text, StringComparison.Ordinal))
                return;
            _awaited.Add((text, seen));
        }
        var ended = _process.WaitForExitAsync();
        try
        {
            if (await Task.WhenAny(seen.Task, ended).WaitAsync(s_patience) == seen.Task)
                return;
        }
        catch (TimeoutException)
        {
            // Said below.
        }
        Assert.True(seen.Task.IsCompleted, $"It did not say '{text}':\n{Output}");
    }

    /// <summary>Sends a signal to it alone, as <c>kill</c> names it.</summary>
    public async Task SignalAsync(string signal)
    {
        using var kill = Process.Start("kill", ["-s", signal, $"{_process.Id}"]);
        await kill.WaitForExitAsync();
    }

    /// <summary>Waits for its end; returns the exit code.</summary>
    public async Task<int> WaitForExitAsync()
    {
        try
        {
            await _process.WaitForExitAsync().WaitAsync(s_patience);
        }
        catch (TimeoutException)
        {
            Assert.Fail($"It did not end:\n{Output}");
        }
        return _process.ExitCode;
    }

    /// <summary>The command lines of all processes that it started and that live. Servers of the SDK, which outlive a build on purpose,
    /// do not count.</summary>
    public IReadOnlyList<string> Living() => [.. LivingProcesses().Select(process => process.Command)];

    private List<(int Id, string Command)> LivingProcesses()
    {
        var living = new List<(int Id, string Command)>();
        foreach (
            var folder in Directory
                .EnumerateDirectories("/proc")
                .Where(path => int.TryParse(Path.GetFileName(path), CultureInfo.InvariantCulture, out _))
        )
            try
            {
                if (!File.ReadAllText(Path.Combine(folder, "environ")).Contains(_mark, StringComparison.Ordinal))
                    continue;
                var command = File.ReadAllText(Path.Combine(folder, "cmdline")).Replace('\0', ' ');
                if (command.Length > 0 && !command.Contains("/sdk/", StringComparison.Ordinal))
                    living.Add((int.Parse(Path.GetFileName(folder), CultureInfo.InvariantCulture), command));
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // Ended meanwhile, or somebody else's.
            }
        return living;
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            await _process.WaitForExitAsync();
        }
        _process.Dispose();
        // Of a demo that did not end as it should; of the others there are none.
        foreach (var (id, _) in LivingProcesses())
            try
            {
                using var left = Process.GetProcessById(id);
                left.Kill();
            }
            catch (ArgumentException)
            {
                // Ended meanwhile.
            }
    }

    private void OnOutput(object sender, DataReceivedEventArgs line)
    {
        lock (_output)
        {
            _output.AppendLine(line.Data);
            foreach (var (text, seen) in _awaited)
                if (line.Data?.Contains(text, StringComparison.Ordinal) == true)
                    seen.TrySetResult();
        }
    }
}
