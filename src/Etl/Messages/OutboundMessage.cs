namespace Jackdaw.Etl.Messages;

/// <summary>One message on its way: what the script made of a change, with everything copied. Immutable.</summary>
internal sealed record OutboundMessage
{
    /// <summary>The topic, exchange or queue as the script named it.</summary>
    public required string Target { get; init; }

    /// <summary>Null unless the script gave one.</summary>
    public string? RoutingKey { get; init; }

    public required CloudEvent Event { get; init; }

    /// <summary>JSON in UTF-8; empty when there is none (deletions).</summary>
    public required ReadOnlyMemory<byte> Data { get; init; }

    /// <summary>The change that it comes of.</summary>
    public required ChangeOrigin Origin { get; init; }

    /// <summary>From 1, in the order of calls for one change.</summary>
    public required int Number { get; init; }

    /// <summary>The sink keeps the order of a target's routing keys, not that of partition keys.</summary>
    public bool IsOrderedByRoute { get; init; }

    /// <summary>Messages of one key keep their order: that of one partition key, or of one target and routing key. No name holds
    /// a line feed.</summary>
    public string Key => IsOrderedByRoute ? $"{Target}\n{RoutingKey}" : Event.PartitionKey;

    /// <summary>About what it takes of memory.</summary>
    public long SizeBytes => Data.Length + 256;
}
