using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Confluent.Kafka;
using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Kafka;

/// <summary>A message of the position topic. Its key is the transform's name; its value, JSON, is laid out in docs/etl.md,
/// "Kafka". Members that are unknown are ignored.</summary>
internal sealed record KafkaPositionRecord
{
    private const int CurrentVersion = 1;

    private static readonly JsonSerializerOptions s_options = new(JsonSerializerDefaults.Web)
    {
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    };

    public required int Version { get; init; }

    public required Guid DatabaseId { get; init; }

    public required long Etag { get; init; }

    public required KafkaOwner Owner { get; init; }

    public IReadOnlyList<string>? RetriedDeadLetters { get; init; }

    public Guid? Batch { get; init; }

    public static Message<byte[], byte[]> Message(SinkPosition position, KafkaOwner owner) =>
        new()
        {
            Key = Encoding.UTF8.GetBytes(position.Transform),
            Value = JsonSerializer.SerializeToUtf8Bytes(
                new KafkaPositionRecord
                {
                    Version = CurrentVersion,
                    DatabaseId = position.Position.DatabaseId,
                    Etag = position.Position.Etag,
                    Owner = owner,
                    RetriedDeadLetters = position.RetriedDeadLetters,
                    Batch = position.Batch,
                },
                s_options
            ),
        };

    /// <summary>Throws <see cref="SinkException"/>: of the task, for whoever wrote that is none of ours.</summary>
    public static KafkaPositionRecord Read(string topic, Message<byte[], byte[]> message)
    {
        try
        {
            var record = JsonSerializer.Deserialize<KafkaPositionRecord>(message.Value, s_options);
            if (record is { Version: CurrentVersion, Etag: >= 0, Owner: not null })
                return record;
            throw new SinkException(
                SinkFault.Task,
                $"The position topic '{topic}' holds a record of version {record?.Version}; this server knows version {CurrentVersion}."
            );
        }
        catch (Exception e) when (e is JsonException or ArgumentNullException)
        {
            throw new SinkException(SinkFault.Task, $"The position topic '{topic}' holds a record that no task wrote: {e.Message}", e);
        }
    }

    public SinkPosition Position(string transform) => new(transform, new TaskPosition(DatabaseId, Etag), RetriedDeadLetters, Batch);
}
