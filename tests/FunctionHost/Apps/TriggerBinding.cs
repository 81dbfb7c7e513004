namespace Jackdaw.FunctionHost.Apps;

/// <summary>The binding that starts a function, its settings resolved.</summary>
/// <param name="Kind">What starts it.</param>
/// <param name="Name">The member of <c>Data</c> that has the message.</param>
/// <param name="Source">The queue or topic.</param>
/// <param name="Connection">A connection string, an address, or a list of brokers.</param>
/// <param name="ConsumerGroup">Of Kafka.</param>
/// <param name="IsBinary">The message is handed over as bytes; else as text.</param>
/// <param name="IsBatch">Several messages are one invocation.</param>
internal sealed record TriggerBinding(
    TriggerKind Kind,
    string Name,
    string Source,
    string Connection,
    string ConsumerGroup,
    bool IsBinary,
    bool IsBatch
);
