using Azure;
using Azure.Storage.Queues;
using Azure.Storage.Queues.Models;

namespace Jackdaw.Server.Hosting.Queues;

/// <summary>
/// Sends the messages of a queue again: receives, sends, deletes, in this order, so that a message is in one queue at least at every
/// moment. Messages that came after the beginning are not taken: a message that becomes a dead letter again would go round for ever.
/// </summary>
/// <param name="account">The storage account.</param>
/// <param name="source">The queue that is emptied.</param>
/// <param name="to">Where all go; null: where each belongs.</param>
/// <param name="max">Messages at most; null: all.</param>
/// <param name="output">Progress, and what is left and why.</param>
/// <param name="clock">Paces the lines of progress.</param>
internal sealed class Redrive(QueueAccount account, string source, string? to, int? max, TextWriter output, TimeProvider clock)
{
    private readonly QueueClient _source = account.Queues.GetQueueClient(source);

    /// <summary>What was received and is still there, by its id: those that stay, and those that were only passed over.</summary>
    private readonly Dictionary<string, (QueueMessage Message, bool Stays)> _left = [];
    private readonly Lock _lock = new();
    private DateTimeOffset _began;
    private long _told;
    private int _sent;
    private int _sentTwice;

    /// <summary>Runs until the queue has no message of before the beginning, the limit is reached, or it is cancelled.</summary>
    /// <exception cref="RefusedException">The account refuses, or there is no such queue. What was not sent is still in its
    /// queue.</exception>
    public async Task<RedriveCounts> RunAsync(CancellationToken cancel)
    {
        _told = clock.GetTimestamp();
        try
        {
            _began = await BeginAsync(cancel);
            while (!cancel.IsCancellationRequested && Remaining() > 0 && await TakePageAsync(cancel)) { }
        }
        catch (OperationCanceledException) when (cancel.IsCancellationRequested)
        {
            // What is counted below says how far it came.
        }
        catch (Exception e) when (QueueAccount.IsOfAzure(e) && e is not RequestFailedException { ErrorCode: "QueueNotFound" })
        {
            throw QueueAccount.Refused(e, $"After {_sent:N0} messages of '{source}'");
        }
        finally
        {
            await ShowLeftAsync();
        }
        return new RedriveCounts(_sent, _sentTwice, Staying());
    }

    private int Staying() => _left.Values.Count(one => one.Stays);

    private void Leave(QueueMessage message, bool stays)
    {
        lock (_lock)
            _left[message.MessageId] = (message, stays);
    }

    private int Remaining() => Math.Min(QueueLimits.PageSize, (max ?? int.MaxValue) - _sent - _sentTwice);

    /// <summary>The account's own time, to the second, as the time is by which it stamps messages.</summary>
    private async Task<DateTimeOffset> BeginAsync(CancellationToken cancel)
    {
        var answer = await _source.GetPropertiesAsync(cancel);
        return answer.GetRawResponse().Headers.Date ?? clock.GetUtcNow();
    }

    /// <summary>False: nothing is left to be taken.</summary>
    private async Task<bool> TakePageAsync(CancellationToken cancel)
    {
        var page = (await _source.ReceiveMessagesAsync(Remaining(), QueueLimits.Hidden, cancel)).Value;
        var old = page.Where(message => message.InsertedOn is not { } at || at <= _began).ToArray();
        // What is not sent is given back, whatever happens.
        foreach (var message in page)
            Leave(message, stays: false);
        await Parallel.ForEachAsync(
            old,
            new ParallelOptions { MaxDegreeOfParallelism = QueueLimits.AtOnce, CancellationToken = cancel },
            async (message, _) => await MoveAsync(message)
        );
        Tell();
        if (_left.Count > QueueLimits.MaxLeft)
            throw new RefusedException(
                $"More than {QueueLimits.MaxLeft:N0} messages of '{source}' cannot be sent again; {_sent:N0} were sent. "
                    + "Look at them with run queues show."
            );
        return old.Length > 0;
    }

    /// <summary>Not interrupted: what is sent is to be deleted.</summary>
    private async Task MoveAsync(QueueMessage message)
    {
        Redelivery redelivery;
        try
        {
            redelivery = await Redelivery.OfAsync(source, message.MessageText, to, account.Blobs, CancellationToken.None);
        }
        catch (RefusedException e)
        {
            Leave(message, stays: true);
            await output.WriteLineAsync($"Message {message.MessageId} stays: {e.Message}.");
            return;
        }
        try
        {
            await account
                .Queues.GetQueueClient(redelivery.Queue)
                .SendMessageAsync(redelivery.Text, TimeSpan.Zero, QueueLimits.NeverExpires, CancellationToken.None);
        }
        catch (RequestFailedException e) when (e.ErrorCode == QueueErrorCode.QueueNotFound)
        {
            throw new RefusedException(
                $"There is no queue '{redelivery.Queue}', to which message {message.MessageId} belongs; --to names another.",
                e
            );
        }
        try
        {
            await _source.DeleteMessageAsync(message.MessageId, message.PopReceipt, CancellationToken.None);
            Interlocked.Increment(ref _sent);
        }
        catch (RequestFailedException e) when (e.Status == 404)
        {
            // Somebody else has taken it meanwhile.
            Interlocked.Increment(ref _sentTwice);
        }
        lock (_lock)
            _left.Remove(message.MessageId);
    }

    /// <summary>Messages that stay are to be seen again at once.</summary>
    private async Task ShowLeftAsync()
    {
        foreach (var (message, _) in _left.Values)
            try
            {
                await _source.UpdateMessageAsync(
                    message.MessageId,
                    message.PopReceipt,
                    message.MessageText,
                    TimeSpan.Zero,
                    CancellationToken.None
                );
            }
            catch (Exception e) when (QueueAccount.IsOfAzure(e))
            {
                await output.WriteLineAsync(
                    $"Message {message.MessageId} is hidden for up to {QueueLimits.Hidden.TotalMinutes:0} minutes, and can be seen then."
                );
            }
    }

    private void Tell()
    {
        if (clock.GetElapsedTime(_told) < QueueLimits.ProgressPause)
            return;
        _told = clock.GetTimestamp();
        output.WriteLine($"{_sent:N0} sent again, {Staying():N0} stay.");
    }
}
