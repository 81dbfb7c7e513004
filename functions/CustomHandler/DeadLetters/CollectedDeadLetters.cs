using System.Collections.Concurrent;
using Jackdaw.Functions.Handlers.Messages;

namespace Jackdaw.Functions.CustomHandler.DeadLetters;

/// <summary>
/// The dead letters of one invocation. They go to the host with its answer, and the host puts them into their queue before it removes the
/// messages. A host that dies in between delivers the messages again, and they become dead letters again. Thread-safe.
/// </summary>
/// <param name="function">The function whose messages they are.</param>
/// <param name="queue">The Azure queue that they are sent to again.</param>
/// <param name="oversize">Takes those that a queue cannot.</param>
/// <param name="clock">What time it is.</param>
internal sealed class CollectedDeadLetters(string function, string queue, IOversizeLetters oversize, TimeProvider clock) : IDeadLetters
{
    private readonly ConcurrentQueue<string> _messages = [];
    private readonly ConcurrentQueue<string> _logs = [];

    /// <summary>One message for the queue of dead letters each.</summary>
    public IReadOnlyCollection<string> Messages => _messages;

    /// <summary>A line about each.</summary>
    public IReadOnlyCollection<string> Logs => _logs;

    /// <inheritdoc/>
    public async Task PutAsync(DeadLetter letter, CancellationToken cancel)
    {
        var envelope = new DeadLetterEnvelope(function, letter.Consumer, queue, letter.Reason, clock.GetUtcNow());
        if (envelope.TryWrite(letter.Body.Span) is not { } message)
            message = envelope.Write(await oversize.KeepAsync(letter.Body, cancel), letter.Body.Length);
        _messages.Enqueue(message);
        _logs.Enqueue($"Dead letter of {letter.Consumer}: {letter.Reason}");
    }
}
