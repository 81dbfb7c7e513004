using Jackdaw.Functions.CustomHandler.Blobs;
using Jackdaw.Functions.CustomHandler.Configuration;
using Jackdaw.Functions.CustomHandler.DeadLetters;
using Jackdaw.Functions.CustomHandler.Running;
using Jackdaw.Functions.Handlers.Messages;
using Jackdaw.Functions.Handlers.Running;

namespace Jackdaw.Functions.CustomHandler.Invoking;

/// <summary>Runs the functions. Thread-safe.</summary>
/// <param name="claimChecks">Fetches data that is not in a message.</param>
/// <param name="oversize">Takes dead letters that a queue cannot.</param>
/// <param name="log">What the operator reads.</param>
/// <param name="longest">How long an invocation may take.</param>
/// <param name="grace">How long a handler may take to end once it has been cancelled.</param>
/// <param name="stop">When the process is to stop.</param>
internal sealed class Invoker(
    IClaimChecks claimChecks,
    IOversizeLetters oversize,
    AppLog log,
    TimeSpan longest,
    TimeSpan grace,
    StopSignal stop
)
{
    /// <summary>An invoker with the accounts of the settings. Throws <see cref="SettingException"/>.</summary>
    public static Invoker Open(AppSettings settings, StopSignal stop, AppLog log)
    {
        var account = BlobAccount.Open(settings);
        IClaimChecks claimChecks = account is null ? new NoClaimChecks() : new BlobClaimChecks(account);
        return new Invoker(claimChecks, new BlobOversizeLetters(account), log, settings.LongestInvocation, settings.CancelGrace, stop);
    }

    /// <summary>
    /// Handles all messages of an invocation and returns the answer for the host. Throws <see cref="InvocationException"/> for a body that
    /// is no invocation, and when the messages could not be handled in time or before the process stops: the host delivers them again.
    /// </summary>
    /// <param name="function">The function.</param>
    /// <param name="body">What the host sent.</param>
    /// <param name="hungUp">The host does not wait any more.</param>
    public async Task<ReadOnlyMemory<byte>> InvokeAsync(Function function, ReadOnlyMemory<byte> body, CancellationToken hungUp)
    {
        var letters = await HandleAsync(function, MessageBodies.Read(body, function.Binding, function.IsBatch), hungUp);
        return InvocationAnswer.Write(letters.Messages, letters.Logs);
    }

    /// <summary>Handles messages and returns the dead letters among them. Throws <see cref="InvocationException"/> when they could not be
    /// handled in time or before the process stops.</summary>
    public async Task<CollectedDeadLetters> HandleAsync(
        Function function,
        IReadOnlyList<ReadOnlyMemory<byte>> bodies,
        CancellationToken hungUp
    )
    {
        var letters = new CollectedDeadLetters(function.Name, function.Queue, oversize, TimeProvider.System);
        using var invocation = new Invocation(longest, stop.Stopping, stop.Stopped, hungUp);
        var handling = HandleAllAsync(function, bodies, letters, invocation);
        try
        {
            await EndAsync(handling, function, invocation);
        }
        catch (OperationCanceledException e) when (invocation.Token.IsCancellationRequested)
        {
            throw new InvocationException(
                stop.Stopping.IsCancellationRequested ? "The function app stops; the messages are to be delivered again."
                    : hungUp.IsCancellationRequested ? "The host has hung up; the messages are to be delivered again."
                    : $"The messages could not be handled within {longest.TotalSeconds:0} s (Jackdaw__LongestInvocation); "
                        + "they are to be delivered again.",
                e
            );
        }
        foreach (var line in letters.Logs)
            log.Write($"{function.Name}: {line}");
        return letters;
    }

    private async Task HandleAllAsync(
        Function function,
        IReadOnlyList<ReadOnlyMemory<byte>> bodies,
        CollectedDeadLetters letters,
        Invocation invocation
    )
    {
        var handler = new MessageHandler(
            function.Consumer,
            claimChecks,
            letters,
            new HandlerOptions
            {
                Waits = (fault, pause) =>
                {
                    log.Waits(function.Name, fault, pause);
                    invocation.Waits();
                },
            }
        );
        await Parallel.ForEachAsync(
            Subjects.Group(await handler.HandleTogetherAsync(bodies, invocation.Token)),
            new ParallelOptions { MaxDegreeOfParallelism = AppLimits.MaxMessagesAtOnce, CancellationToken = invocation.Token },
            async (group, cancel) =>
            {
                foreach (var message in group)
                    await handler.HandleAsync(message, cancel);
            }
        );
    }

    /// <summary>Waits for the handlers. Ones that do not end although they have been cancelled hold memory and connections for ever: then
    /// the process ends, and the host starts another.</summary>
    private async Task EndAsync(Task handling, Function function, Invocation invocation)
    {
        var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var _ = invocation.Token.Register(cancelled.SetResult);
        if (await Task.WhenAny(handling, cancelled.Task) == cancelled.Task)
        {
            try
            {
                await handling.WaitAsync(grace);
                return;
            }
            catch (TimeoutException)
            {
                log.Write($"{function.Name}: a handler has not ended {grace.TotalSeconds:0} s after it was cancelled: this process ends.");
                stop.EndNow();
                throw;
            }
        }
        await handling;
    }
}
