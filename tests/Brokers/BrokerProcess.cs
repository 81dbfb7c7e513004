using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Jackdaw.Brokers;

/// <summary>
/// A broker's process, which ends no later than this one, however this one ends: it is the child of a small shell that reads from
/// a pipe whose other end this process
/// holds. The end of the pipe is the end of the broker. (A signal at the parent's death would not do: it comes at the death of
/// the thread that started the child.)
/// Shell and broker are a process group of their own, so that <see cref="Kill"/> meets all that the broker started.
/// </summary>
internal sealed partial class BrokerProcess : IAsyncDisposable
{
    private const int SigTerm = 15;
    private const int SigKill = 9;
    private const int KeptLines = 200;
    private static readonly TimeSpan StopTimeout = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);

    // Descriptor 3 is the pipe. The second background list is what ends everything; it is ended itself when the broker ends first.
    private const string Shell = """
        exec 3<&0
        "$@" </dev/null 3<&- &
        broker=$!
        trap 'kill -s TERM "$broker" 2>/dev/null' TERM
        { read -r _ <&3; kill -s KILL 0; } >/dev/null 2>&1 &
        watch=$!
        exec 3<&-
        while :; do
          wait "$broker"
          code=$?
          kill -0 "$broker" 2>/dev/null || break
        done
        kill -s KILL "$watch" 2>/dev/null
        exit "$code"
        """;

    private readonly Process _process;
    private readonly Queue<string> _output = [];
    private readonly Action<string>? _told;

    private BrokerProcess(Process process, Action<string>? told)
    {
        _process = process;
        _told = told;
    }

    /// <summary>Of the shell, which leads the group.</summary>
    public int Id { get; private set; }

    public bool HasExited => _process.HasExited;

    /// <summary>The last lines of both its outputs.</summary>
    public string Output
    {
        get
        {
            lock (_output)
                return string.Join('\n', _output);
        }
    }

    /// <param name="command">What is started.</param>
    /// <param name="folder">The working folder.</param>
    /// <param name="told">Told each line of both outputs, of several threads; null: nobody is.</param>
    public static BrokerProcess Start(BrokerCommand command, string folder, Action<string>? told = null)
    {
        var start = new ProcessStartInfo("setsid", ["sh", "-c", Shell, "sh", command.Program, .. command.Arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder,
        };
        foreach (var (name, value) in command.Environment)
            start.Environment[name] = value;
        var broker = new BrokerProcess(new Process { StartInfo = start }, told);
        broker._process.OutputDataReceived += broker.OnOutput;
        broker._process.ErrorDataReceived += broker.OnOutput;
        broker._process.Start();
        broker.Id = broker._process.Id;
        broker._process.BeginOutputReadLine();
        broker._process.BeginErrorReadLine();
        return broker;
    }

    /// <summary>Waits until it is ready.</summary>
    /// <exception cref="BrokerFailedException">It ended, or was not ready in time.</exception>
    public async Task WaitAsync(string name, Func<Task<bool>> isReady, TimeSpan timeout)
    {
        var since = Stopwatch.GetTimestamp();
        while (!await isReady())
        {
            if (HasExited)
                throw new BrokerFailedException($"{name} ended with code {_process.ExitCode} before it was ready. It said:\n{Output}");
            if (Stopwatch.GetElapsedTime(since) > timeout)
                throw new BrokerFailedException($"{name} was not ready within {timeout.TotalSeconds} s. It said:\n{Output}");
            await Task.Delay(Pause);
        }
    }

    /// <summary>Asks it to end, and ends it by force when it does not within a minute.</summary>
    public async Task StopAsync()
    {
        if (HasExited)
            return;
        Signal(_process.Id, SigTerm);
        using var timeout = new CancellationTokenSource(StopTimeout);
        try
        {
            await _process.WaitForExitAsync(timeout.Token);
        }
        catch (OperationCanceledException)
        {
            await KillAsync();
        }
    }

    /// <summary>kill -9 of the broker and all that it started, without waiting.</summary>
    public void Kill() => Signal(-Id, SigKill);

    /// <summary>What the end of this process does: lets go of the pipe.</summary>
    public void LetGo() => _process.StandardInput.Close();

    public Task WaitForExitAsync() => _process.WaitForExitAsync();

    public async ValueTask DisposeAsync()
    {
        await KillAsync();
        _process.Dispose();
    }

    private async Task KillAsync()
    {
        Kill();
        await _process.WaitForExitAsync();
    }

    private static void Signal(int process, int signal)
    {
        const int NoSuchProcess = 3;
        if (SendSignal(process, signal) != 0 && Marshal.GetLastPInvokeError() is var error && error != NoSuchProcess)
            throw new InvalidOperationException($"kill({process}, {signal}) failed with error {error}.");
    }

    private void OnOutput(object sender, DataReceivedEventArgs line)
    {
        if (line.Data is null)
            return;
        _told?.Invoke(line.Data);
        lock (_output)
        {
            _output.Enqueue(line.Data);
            if (_output.Count > KeptLines)
                _output.Dequeue();
        }
    }

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int SendSignal(int process, int signal);
}
