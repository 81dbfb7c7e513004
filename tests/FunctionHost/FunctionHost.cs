using Jackdaw.FunctionHost.Apps;
using Jackdaw.FunctionHost.Handlers;
using Jackdaw.FunctionHost.Invoking;
using Jackdaw.FunctionHost.Triggers;

namespace Jackdaw.FunctionHost;

/// <summary>
/// Stands in for the Azure Functions host: starts a function app's custom handler and runs the triggers of its functions. What it does
/// otherwise than the real one is listed in docs/decisions/0053-a-stand-in-for-the-functions-host.md.
/// </summary>
public sealed class FunctionHost : IAsyncDisposable
{
    private readonly CancellationTokenSource _intake = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly HandlerProcess _handler;
    private readonly Invoker _invoker;
    private readonly Task _running;

    private FunctionHost(FunctionApp app, HostOptions options, HostLog log)
    {
        log.Say($"This host stands in for the Azure Functions host. App: {app.Folder}");
        foreach (var disabled in app.Disabled)
            log.Say($"Functions.{disabled} is disabled.");
        _handler = new HandlerProcess(app, log);
        _invoker = new Invoker(app, _handler, log);
        _running = Task.WhenAll(
            app.Functions.Select(function => Trigger(app, function, options, log)).Select(one => one.RunAsync(_intake.Token, _stop.Token))
        );
        Functions = [.. app.Functions.Select(function => function.Name)];
    }

    /// <summary>The functions that run.</summary>
    public IReadOnlyList<string> Functions { get; }

    /// <summary>How often the handler has been started.</summary>
    public int HandlerStarts => _handler.Starts;

    /// <summary>Starts an app and returns at once; see <see cref="ReadyAsync"/>. Throws <see cref="AppException"/> when it cannot be
    /// run.</summary>
    /// <param name="folder">The app's folder, with host.json.</param>
    /// <param name="settings">The app settings.</param>
    /// <param name="options">How it is run.</param>
    /// <param name="say">Told each line of what the host says.</param>
    public static FunctionHost Start(string folder, AppSettings settings, HostOptions options, Action<string> say) =>
        new(FunctionApp.Read(folder, settings), options, new HostLog(say));

    /// <summary>Returns once the handler answers.</summary>
    public Task ReadyAsync(CancellationToken cancel) => _handler.AddressAsync(cancel);

    /// <summary>kill -9 of the handler, which is started again.</summary>
    public void KillHandler() => _handler.Kill();

    /// <summary>Takes no more messages, lets those that are under way end for a while, and ends the handler. Takes at most ten
    /// seconds.</summary>
    public async ValueTask DisposeAsync()
    {
        await _intake.CancelAsync();
        await Task.WhenAny(_running, Task.Delay(HostLimits.DrainTimeout));
        var ending = _handler.DisposeAsync().AsTask();
        // What the handler still answers while it ends counts.
        await Task.WhenAny(_running, ending);
        await _stop.CancelAsync();
        await ending;
        await _running;
        _invoker.Dispose();
        _intake.Dispose();
        _stop.Dispose();
    }

    private ITrigger Trigger(FunctionApp app, Function function, HostOptions options, HostLog log) =>
        function.Trigger.Kind switch
        {
            TriggerKind.Queue => new QueueTrigger(function, app.Host.Queues, options, _invoker, log),
            TriggerKind.RabbitMq => new RabbitTrigger(function, app.Host.PrefetchCount, options, _invoker, log),
            TriggerKind.Kafka => new KafkaTrigger(function, app.Host, options, _invoker, log),
            _ => throw new InvalidOperationException($"There is no trigger {function.Trigger.Kind}."),
        };
}
