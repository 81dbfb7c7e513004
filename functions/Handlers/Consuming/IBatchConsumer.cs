using Jackdaw.Functions.Handlers.Messages;

namespace Jackdaw.Functions.Handlers.Consuming;

/// <summary>A consumer that can handle many messages with few requests.</summary>
public interface IBatchConsumer : IMessageConsumer
{
    /// <summary>
    /// Handles the messages with which nothing is wrong, in whatever order. Returns for each whether its effects are durable or it needed
    /// none; the others are to be handled by <see cref="IMessageConsumer.HandleAsync"/>, which tells what is wrong with them. Throws
    /// <see cref="Storing.InfrastructureException"/> when that is to be done with all of them.
    /// </summary>
    Task<IReadOnlyList<bool>> TryHandleAsync(IReadOnlyList<CloudEvent> messages, CancellationToken cancel);
}
