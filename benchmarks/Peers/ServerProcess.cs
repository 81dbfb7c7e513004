using System.Collections.Concurrent;
using System.Diagnostics;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.Peers;

/// <summary>
/// A server started as a process of its own: ready when it prints <c>Server available on: URL</c>, ended by SIGTERM. It should
/// also end when its standard input closes, so that none outlives a benchmark that was killed.
/// </summary>
internal sealed class ServerProcess : IAsyncDisposable
{
    private const string ReadyPrefix = "Server available on: ";
    private static readonly TimeSpan StopLimit = TimeSpan.FromSeconds(60);
    private readonly Process _process;
    private readonly ConcurrentQueue<string> _printed = new();
    private readonly TaskCompletionSource<string> _url = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private ServerProcess(Process process) => _process = process;

    public int Id => _process.Id;

    public string Url => _url.Task.Result;

    /// <param name="assembly">The program, run by <c>dotnet</c>.</param>
    /// <param name="arguments">Its arguments.</param>
    /// <param name="readyLimit">How long it may take until it is ready.</param>
    /// <param name="cancel">Gives up waiting.</param>
    /// <exception cref="IOException">It ended or the time was up before it was ready; the message has what it printed.</exception>
    public static async Task<ServerProcess> StartAsync(
        string assembly,
        IEnumerable<string> arguments,
        TimeSpan readyLimit,
        CancellationToken cancel
    )
    {
        var start = new ProcessStartInfo("dotnet", [assembly, .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        var server = new ServerProcess(new Process { StartInfo = start, EnableRaisingEvents = true });
        server._process.OutputDataReceived += (_, line) => server.Read(line.Data);
        server._process.ErrorDataReceived += (_, line) => server.Read(line.Data);
        server._process.Exited += (_, _) => server._url.TrySetException(new IOException(server.Describe("it ended before it was ready")));
        server._process.Start();
        server._process.BeginOutputReadLine();
        server._process.BeginErrorReadLine();
        try
        {
            await server._url.Task.WaitAsync(readyLimit, cancel);
            return server;
        }
        catch (TimeoutException)
        {
            await server.KillAsync();
            throw new IOException(server.Describe($"it was not ready within {readyLimit.TotalSeconds:0} s"));
        }
        catch
        {
            await server.KillAsync();
            throw;
        }
    }

    /// <summary>SIGKILL, as a crash.</summary>
    public async Task KillAsync()
    {
        if (!_process.HasExited)
            _process.Kill();
        await _process.WaitForExitAsync();
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _ = Libc.Kill(_process.Id, Libc.SignalTerminate);
            using var limit = new CancellationTokenSource(StopLimit);
            try
            {
                await _process.WaitForExitAsync(limit.Token);
            }
            catch (OperationCanceledException)
            {
                await KillAsync();
            }
        }
        _process.Dispose();
    }

    private void Read(string? line)
    {
        if (line is null)
            return;
        _printed.Enqueue(line);
        while (_printed.Count > 40)
            _printed.TryDequeue(out _);
        int at = line.IndexOf(ReadyPrefix, StringComparison.Ordinal);
        if (at >= 0)
            _url.TrySetResult(line[(at + ReadyPrefix.Length)..].Trim());
    }

    private string Describe(string what) =>
        $"server {string.Join(' ', _process.StartInfo.ArgumentList)}: {what}; it printed:\n{string.Join('\n', _printed)}";
}
