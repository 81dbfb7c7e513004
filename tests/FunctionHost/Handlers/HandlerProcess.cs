using System.Diagnostics;
using System.Globalization;
using Jackdaw.Brokers;
using Jackdaw.FunctionHost.Apps;

namespace Jackdaw.FunctionHost.Handlers;

/// <summary>
/// The custom handler's process: started with the port on which it has to listen, started again when it ends, ended with the host, however
/// the host ends. Its outputs are the host's.
/// </summary>
internal sealed class HandlerProcess : IAsyncDisposable
{
    private static readonly HttpClient s_client = new() { Timeout = TimeSpan.FromSeconds(5) };
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(20);

    private readonly FunctionApp _app;
    private readonly HostLog _log;
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _lock = new();
    private readonly Task _keeping;
    private TaskCompletionSource<Uri> _ready = NotReady();
    private BrokerProcess? _process;

    public HandlerProcess(FunctionApp app, HostLog log)
    {
        _app = app;
        _log = log;
        _keeping = Task.Run(KeepAsync);
    }

    /// <summary>How often the handler has been started.</summary>
    public int Starts { get; private set; }

    /// <summary>Returns where the handler listens, once it answers.</summary>
    public Task<Uri> AddressAsync(CancellationToken cancel)
    {
        lock (_lock)
            return _ready.Task.WaitAsync(cancel);
    }

    /// <summary>kill -9, as after a time-out; the handler is started again.</summary>
    public void Kill()
    {
        lock (_lock)
        {
            Retract();
            _process?.Kill();
        }
    }

    /// <summary>Asks the handler to end and waits, for a while.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        BrokerProcess? process;
        lock (_lock)
            process = _process;
        if (process is not null)
        {
            await Task.WhenAny(process.StopAsync(), Task.Delay(HostLimits.HandlerStop));
            process.Kill();
        }
        await _keeping;
        _stop.Dispose();
    }

    private static TaskCompletionSource<Uri> NotReady() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private async Task KeepAsync()
    {
        var pause = HostLimits.FirstRestartPause;
        while (!_stop.IsCancellationRequested)
        {
            var began = Stopwatch.GetTimestamp();
            var process = Start(out var address);
            try
            {
                await UntilItAnswersAsync(process, address);
                await process.WaitForExitAsync();
            }
            finally
            {
                lock (_lock)
                    Retract();
                await process.DisposeAsync();
            }
            if (_stop.IsCancellationRequested)
                return;
            // One that ran for a while is back at once; one that ends again and again is not started without end.
            pause = Stopwatch.GetElapsedTime(began) > HostLimits.LongestRestartPause ? HostLimits.FirstRestartPause : pause * 2;
            pause = pause < HostLimits.LongestRestartPause ? pause : HostLimits.LongestRestartPause;
            _log.Say(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"The handler has ended. It is started again in {pause.TotalMilliseconds:0} ms."
                )
            );
            await Task.Delay(pause, _stop.Token).ContinueWith(_ => { }, TaskScheduler.Default);
        }
    }

    private BrokerProcess Start(out Uri address)
    {
        var port = LoopbackPort.Find();
        address = new Uri($"http://127.0.0.1:{port}/");
        var environment = new Dictionary<string, string>(_app.Settings.All)
        {
            ["FUNCTIONS_CUSTOMHANDLER_PORT"] = $"{port}",
            ["FUNCTIONS_HTTPWORKER_PORT"] = $"{port}",
            ["FUNCTIONS_WORKER_RUNTIME"] = "custom",
        };
        var command = new BrokerCommand(_app.Host.Program(_app.Folder), _app.Host.Arguments, environment);
        lock (_lock)
        {
            Starts++;
            _process = BrokerProcess.Start(command, _app.Host.WorkingDirectory, line => _log.Say($"[handler] {line}"));
            return _process;
        }
    }

    /// <summary>Any answer will do. One that does not answer in time is ended.</summary>
    private async Task UntilItAnswersAsync(BrokerProcess process, Uri address)
    {
        for (var began = Stopwatch.GetTimestamp(); !process.HasExited; )
        {
            try
            {
                using var answer = await s_client.GetAsync(address, _stop.Token);
                lock (_lock)
                    _ready.TrySetResult(address);
                return;
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (Exception e) when (e is HttpRequestException or OperationCanceledException)
            {
                // Not yet.
            }
            if (Stopwatch.GetElapsedTime(began) > HostLimits.HandlerStart)
            {
                _log.Say(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"The handler did not answer at {address} within {HostLimits.HandlerStart.TotalSeconds:0} s of its start. It must listen on FUNCTIONS_CUSTOMHANDLER_PORT."
                    )
                );
                process.Kill();
                return;
            }
            await Task.Delay(s_look);
        }
    }

    private void Retract()
    {
        if (_ready.Task.IsCompleted)
            _ready = NotReady();
    }
}
