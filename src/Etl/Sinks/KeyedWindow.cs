using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.Sinks;

/// <summary>
/// Sends the open messages of a delivery one by one, several at a time, but never two of one key: for sinks that answer each message by itself. After the first
/// fault nothing more is begun, what is on the way is awaited, and the fault is thrown.
/// </summary>
internal static class KeyedWindow
{
    /// <param name="delivery">What is to be sent.</param>
    /// <param name="width">Messages on the way at once.</param>
    /// <param name="send">
    /// Sends one message and tells the outcome: null for confirmed, or why it is rejected. Throws <see cref="SinkException"/> for what is not the message's fault.
    /// </param>
    public static async Task RunAsync(Delivery delivery, int width, Func<OutboundMessage, int, Task<string?>> send)
    {
        var waiting = new LinkedList<int>(Enumerable.Range(0, delivery.Messages.Count).Where(i => !delivery.IsSettled(i)));
        var busyKeys = new HashSet<string>(StringComparer.Ordinal);
        var running = new Dictionary<Task, int>();
        Exception? fault = null;
        while (true)
        {
            if (fault is null)
                Begin(delivery, width, send, waiting, busyKeys, running);
            if (running.Count == 0)
                break;
            var ended = (Task<string?>)await Task.WhenAny(running.Keys).ConfigureAwait(false);
            running.Remove(ended, out int index);
            busyKeys.Remove(delivery.Messages[index].Key);
            try
            {
                if (await ended.ConfigureAwait(false) is { } reason)
                    delivery.Reject(index, reason);
                else
                    delivery.Confirm(index);
            }
            catch (Exception e) when (e is SinkException or OperationCanceledException)
            {
                fault = Graver(fault, e);
            }
        }
        if (fault is not null)
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(fault);
    }

    private static void Begin(
        Delivery delivery, int width, Func<OutboundMessage, int, Task<string?>> send, LinkedList<int> waiting, HashSet<string> busyKeys, Dictionary<Task, int> running)
    {
        for (var node = waiting.First; node is not null && running.Count < width;)
        {
            var next = node.Next;
            int index = node.Value;
            // One of a busy key stays where it is; those behind it of other keys go on.
            if (busyKeys.Add(delivery.Messages[index].Key))
            {
                waiting.Remove(node);
                running.Add(send(delivery.Messages[index], delivery.Try(index)), index);
            }
            node = next;
        }
    }

    /// <summary>Cancellation before a fault of the task before one of the sink.</summary>
    private static Exception Graver(Exception? one, Exception other)
    {
        if (one is null || other is OperationCanceledException)
            return other;
        return one is SinkException { Fault: SinkFault.Sink } ? other : one;
    }
}
