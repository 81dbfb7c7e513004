using Azure;
using Azure.Storage.Queues;
using Azure.Storage.Queues.Models;

namespace Jackdaw.FunctionHost.Triggers;

/// <summary>A message that is out of sight, and the receipt that says whose it is.</summary>
internal sealed class QueueLease(QueueClient queue, QueueMessage message, TimeSpan length)
{
    private string _receipt = message.PopReceipt;

    /// <summary>Keeps the message out of sight until the token is cancelled. Returns then, and when the message is lost.</summary>
    public async Task RenewAsync(CancellationToken ended)
    {
        try
        {
            while (true)
            {
                await Task.Delay(length / 2, ended);
                try
                {
                    // Not with the token: the receipt of an answer that nobody reads would be lost.
                    _receipt = (
                        await queue.UpdateMessageAsync(
                            message.MessageId,
                            _receipt,
                            visibilityTimeout: length,
                            cancellationToken: CancellationToken.None
                        )
                    )
                        .Value
                        .PopReceipt;
                }
                catch (RequestFailedException e) when (IsLost(e))
                {
                    return;
                }
                catch (Exception e) when (Storage.HasFailed(e))
                {
                    // Tried again halfway through what is left, or it comes again.
                }
            }
        }
        catch (OperationCanceledException)
        {
            // Its function has ended.
        }
    }

    /// <summary>Removes the message. One that is somebody else's by now is left to them.</summary>
    public async Task DeleteAsync()
    {
        try
        {
            await queue.DeleteMessageAsync(message.MessageId, _receipt);
        }
        catch (RequestFailedException e) when (IsLost(e))
        {
            // Its lease ended, and it comes, or came, again.
        }
    }

    /// <summary>Puts the message back, to be seen after a while. Likewise.</summary>
    public async Task ReleaseAsync(TimeSpan after)
    {
        try
        {
            await queue.UpdateMessageAsync(message.MessageId, _receipt, visibilityTimeout: after);
        }
        catch (RequestFailedException e) when (IsLost(e))
        {
            // As above.
        }
    }

    private static bool IsLost(RequestFailedException e) =>
        e.ErrorCode == QueueErrorCode.MessageNotFound || e.ErrorCode == QueueErrorCode.PopReceiptMismatch || e.Status == 404;
}
