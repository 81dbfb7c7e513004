using System.Globalization;
using System.Text;
using Confluent.Kafka;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>A message as a consumer gets it.</summary>
internal sealed record KafkaMessage(int Partition, string? Key, string? Value, IReadOnlyDictionary<string, string> Headers)
{
    public string Id => Headers["ce_id"];

    public string Subject => Headers["ce_subject"];

    public long Etag => long.Parse(Headers["ce_etag"], CultureInfo.InvariantCulture);

    public static KafkaMessage Of(ConsumeResult<byte[], byte[]> result) =>
        new(
            result.Partition.Value,
            Text(result.Message.Key),
            Text(result.Message.Value),
            result.Message.Headers.ToDictionary(header => header.Key, header => Encoding.UTF8.GetString(header.GetValueBytes()))
        );

    private static string? Text(byte[]? bytes) => bytes is null ? null : Encoding.UTF8.GetString(bytes);
}
