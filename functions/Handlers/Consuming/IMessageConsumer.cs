using Jackdaw.Functions.Handlers.Messages;

namespace Jackdaw.Functions.Handlers.Consuming;

/// <summary>Turns messages into stored effects. Right under every order and repetition of messages.</summary>
public interface IMessageConsumer
{
    /// <summary>Who consumes.</summary>
    Consumer Consumer { get; }

    /// <summary>
    /// Handles one message. When it returns, the effects are durable. Throws <see cref="MessageFaultException"/> for a fault of the
    /// message; a fault of the infrastructure, and <see cref="Storing.ChangedMeanwhileException"/>, mean that the caller tries again.
    /// </summary>
    Task<Outcome> HandleAsync(CloudEvent message, CancellationToken cancel);
}
