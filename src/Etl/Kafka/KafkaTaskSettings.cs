using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.Kafka;

/// <summary>What a task says about Kafka beyond its scripts. Immutable.</summary>
internal sealed record KafkaTaskSettings
{
    public KafkaDelivery Delivery { get; init; } = KafkaDelivery.Transactional;

    public CloudEventsMode ContentMode { get; init; } = CloudEventsMode.Binary;

    /// <summary>A deletion without data is a message without a value, which a compacted topic takes for the key's deletion.</summary>
    public bool DeletesAsTombstones { get; init; }

    /// <summary>Topics that do not exist are created.</summary>
    public bool CreatesTopics { get; init; } = true;

    /// <summary>Throws <see cref="InvalidConfigurationException"/>.</summary>
    public static KafkaTaskSettings Read(JsonMembers members) =>
        new()
        {
            Delivery = members.Enum("Delivery", KafkaDelivery.Transactional),
            ContentMode = members.Enum("CloudEventsMode", CloudEventsMode.Binary),
            DeletesAsTombstones = members.Flag("DeletesAsTombstones"),
            CreatesTopics = !members.Flag("SkipAutomaticQueueDeclaration"),
        };
}
