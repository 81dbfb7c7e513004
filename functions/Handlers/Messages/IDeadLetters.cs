namespace Jackdaw.Functions.Handlers.Messages;

/// <summary>Where messages go that cannot be handled.</summary>
public interface IDeadLetters
{
    /// <summary>Keeps a message durably. May be called twice for one message. Any exception makes the message wait and try again.</summary>
    Task PutAsync(DeadLetter letter, CancellationToken cancel);
}
