using System.Text;
using Azure;
using Azure.Storage.Queues;
using Azure.Storage.Queues.Models;
using Jackdaw.FunctionHost.Apps;
using Jackdaw.FunctionHost.Invoking;

namespace Jackdaw.FunctionHost.Triggers;

/// <summary>
/// The trigger of storage queues. It looks for messages at growing intervals, takes them out of sight while their function runs, removes
/// those that succeeded, and moves those that failed too often to the queue <c>NAME-poison</c>. Documentation: "Azure Queue storage
/// trigger".
/// </summary>
internal sealed class QueueTrigger(Function function, QueueOptions options, HostOptions host, Invoker invoker, HostLog log) : ITrigger
{
    private readonly QueueClient _queue = Storage.Queue(function.Trigger.Connection, function.Trigger.Source);
    private readonly QueueClient _poison = Storage.Queue(function.Trigger.Connection, function.Trigger.Source + "-poison");

    /// <inheritdoc/>
    public async Task RunAsync(CancellationToken intake, CancellationToken stop)
    {
        var pause = new PollingPause(options.MaxPollingInterval);
        var running = new HashSet<Task>();
        while (!intake.IsCancellationRequested)
        {
            try
            {
                running.RemoveWhere(task => task.IsCompleted);
                if (running.Count > options.NewBatchThreshold)
                {
                    await Task.WhenAny(running);
                    continue;
                }
                await invoker.HandlerAsync(intake);
                var messages = await TakeAsync(intake);
                foreach (var message in messages)
                    running.Add(HandleAsync(message, stop));
                await Task.Delay(host.Look ?? pause.Next(messages.Length > 0), intake);
            }
            catch (OperationCanceledException) when (intake.IsCancellationRequested)
            {
                break;
            }
        }
        await Task.WhenAll(running);
    }

    private async Task<QueueMessage[]> TakeAsync(CancellationToken intake)
    {
        try
        {
            // Not with the token: messages of an answer that nobody reads would be out of sight for a whole lease.
            return (await _queue.ReceiveMessagesAsync(options.BatchSize, host.Lease, CancellationToken.None)).Value;
        }
        catch (RequestFailedException e) when (e.ErrorCode == QueueErrorCode.QueueNotFound)
        {
            // Whoever sends the first message makes it.
            return [];
        }
        catch (Exception e) when (Storage.HasFailed(e))
        {
            log.Say($"Functions.{function.Name}: the queue '{_queue.Name}' does not answer: {e.Message.ReplaceLineEndings(" ")}");
            await Task.Delay(HostLimits.ReconnectPause, intake);
            return [];
        }
    }

    private async Task HandleAsync(QueueMessage message, CancellationToken stop)
    {
        var lease = new QueueLease(_queue, message, host.Lease);
        try
        {
            if (message.DequeueCount > options.MaxDequeueCount || Body(message) is not { } body)
            {
                await BuryAsync(message, lease);
                return;
            }
            if (host.Mistake == HostMistake.AcknowledgesEarly)
                await lease.DeleteAsync();
            bool hasSucceeded;
            using (var ended = CancellationTokenSource.CreateLinkedTokenSource(stop))
            {
                var renewing = lease.RenewAsync(ended.Token);
                try
                {
                    hasSucceeded = await invoker.RunAsync(Invocation(message, body), stop);
                }
                finally
                {
                    await ended.CancelAsync();
                    await renewing;
                }
            }
            if (hasSucceeded || host.Mistake == HostMistake.ForgetsFailures)
                await lease.DeleteAsync();
            else if (message.DequeueCount >= options.MaxDequeueCount)
                await BuryAsync(message, lease);
            else
                await lease.ReleaseAsync(options.VisibilityTimeout);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            await ReleaseAtStopAsync(lease);
        }
        catch (Exception e) when (Storage.HasFailed(e))
        {
            // It comes again when its lease ends.
            log.Say(
                $"Functions.{function.Name}: a message of the queue '{_queue.Name}' could not be settled: {e.Message.ReplaceLineEndings(" ")}"
            );
        }
    }

    private async Task ReleaseAtStopAsync(QueueLease lease)
    {
        try
        {
            await lease.ReleaseAsync(TimeSpan.Zero);
        }
        catch (Exception e) when (Storage.HasFailed(e))
        {
            log.Say($"Functions.{function.Name}: a message could not be released: {e.Message.ReplaceLineEndings(" ")}");
        }
    }

    private Invocation Invocation(QueueMessage message, byte[] body) =>
        Invoking
            .Invocation.Of(function, body)
            .With("DequeueCount", message.DequeueCount)
            .With("Id", message.MessageId)
            .With("PopReceipt", message.PopReceipt)
            .With("InsertionTime", message.InsertedOn)
            .With("ExpirationTime", message.ExpiresOn)
            .With("NextVisibleTime", message.NextVisibleOn);

    /// <summary>Null: the message is not in the encoding that host.json asks for.</summary>
    private byte[]? Body(QueueMessage message)
    {
        var text = message.MessageText;
        if (!options.IsBase64)
            return Encoding.UTF8.GetBytes(text);
        var bytes = new byte[text.Length];
        return Convert.TryFromBase64String(text, bytes, out var length) ? bytes[..length] : null;
    }

    private async Task BuryAsync(QueueMessage message, QueueLease lease)
    {
        await _poison.CreateIfNotExistsAsync();
        await _poison.SendMessageAsync(message.MessageText, timeToLive: TimeSpan.FromSeconds(-1));
        await lease.DeleteAsync();
        log.Say(
            $"Functions.{function.Name}: message {message.MessageId} was moved to the queue '{_poison.Name}' after {message.DequeueCount} tries."
        );
    }
}
