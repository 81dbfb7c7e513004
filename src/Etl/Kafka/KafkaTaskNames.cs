using System.Globalization;

namespace Jackdaw.Etl.Kafka;

/// <summary>What a task is called in Kafka: the same for every server that has a copy of its database, so that one can fence the
/// other.</summary>
internal readonly record struct KafkaTaskNames(Guid DatabaseId, long TaskId)
{
    public const string Prefix = "jackdaw-";
    public const string TopicSuffix = "-positions";

    public string TransactionalId => string.Create(CultureInfo.InvariantCulture, $"{Prefix}{DatabaseId:D}-{TaskId}");

    /// <summary>Where it keeps its positions.</summary>
    public string PositionTopic => TransactionalId + TopicSuffix;
}
