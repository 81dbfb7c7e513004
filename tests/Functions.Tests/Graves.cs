using System.Collections.Concurrent;
using Jackdaw.Functions.Handlers.Messages;

namespace Jackdaw.Functions.Tests;

/// <summary>Dead letters in memory.</summary>
internal sealed class Graves : IDeadLetters
{
    public ConcurrentQueue<DeadLetter> Letters { get; } = [];

    public Task PutAsync(DeadLetter letter, CancellationToken cancel)
    {
        Letters.Enqueue(letter);
        return Task.CompletedTask;
    }
}
