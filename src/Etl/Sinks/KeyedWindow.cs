using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.Sinks;

/// <summary>
/// Sends the open messages of a delivery one by one, several at a time, but never two of one key: for sinks that answer each
/// message by itself. After the first
/// fault nothing more is begun, what is on the way is awaited, and the fault is thrown.
/// </summary>
internal static class KeyedWindow
{
    /// <param name="delivery">What is to be sent.</param>
    /// <param name="width">Messages on the way at once.</param>
    /// <param name="send">
    /// Sends one message and tells the outcome: null for confirmed, or why it is rejected. Throws <see cref="SinkException"/> for
    /// what is not the message's fault.
    /// </param>
    public static async Task RunAsync(Delivery delivery, int width, Func<OutboundMessage, int, Task<string?>> send)
    {
        var waiting = new LinkedList<int>(Enumerable.Range(0, delivery.Messages.Count).Where(i => !delivery.IsSettled(i)));
        var busyKeys = new HashSet<string>(StringComparer.Ordinal);
        // No dictionary: tasks that end at once may be one and the same object.
        var running = new List<(Task<string?> Task, int Index)>();
        Exception? fault = null;
        int last = -1;
        while (true)
        {
            if (fault is null)
                last = Begin(delivery, width, send, waiting, busyKeys, running, last);
            if (running.Count == 0)
                break;
            await Task.WhenAny(running.Select(one => one.Task)).ConfigureAwait(false);
            int first = running.FindIndex(one => one.Task.IsCompleted);
            var (ended, index) = running[first];
            running.RemoveAt(first);
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

    /// <summary>Fills the window; returns the last message that must be sent because one was begun, which the next call is given.</summary>
    private static int Begin(
        Delivery delivery,
        int width,
        Func<OutboundMessage, int, Task<string?>> send,
        LinkedList<int> waiting,
        HashSet<string> busyKeys,
        List<(Task<string?> Task, int Index)> running,
        int last
    )
    {
        for (var node = waiting.First; node is not null && running.Count < width; )
        {
            var next = node.Next;
            int index = node.Value;
            if (delivery.IsStopping && index > last)
                break;
            // One of a busy key stays where it is; those behind it of other keys go on.
            if (busyKeys.Add(delivery.Messages[index].Key))
            {
                waiting.Remove(node);
                last = Math.Max(last, LastOfChange(delivery, index));
                running.Add((send(delivery.Messages[index], delivery.Try(index)), index));
            }
            node = next;
        }
        return last;
    }

    private static int LastOfChange(Delivery delivery, int index)
    {
        while (index + 1 < delivery.Messages.Count && delivery.IsWithinChange(index + 1))
            index++;
        return index;
    }

    /// <summary>Cancellation before a fault of the task before one of the sink.</summary>
    private static Exception Graver(Exception? one, Exception other)
    {
        if (one is null || other is OperationCanceledException)
            return other;
        return one is SinkException { Fault: SinkFault.Sink } ? other : one;
    }
}
