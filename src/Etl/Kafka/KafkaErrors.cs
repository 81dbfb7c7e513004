using Confluent.Kafka;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Kafka;

/// <summary>Whose fault an error of the client is: the table in docs/etl-errors.md, "Kafka".</summary>
internal static class KafkaErrors
{
    /// <summary>The broker will never take this message, or its batch holds one that it will never take.</summary>
    public static bool IsOfMessage(ErrorCode code) =>
        code is ErrorCode.MsgSizeTooLarge or ErrorCode.RecordListTooLarge or ErrorCode.InvalidRecord or ErrorCode.InvalidTimestamp;

    /// <summary>Wrong credentials, missing rights, something that is not there: a person must change something.</summary>
    public static bool IsOfTask(Error error) =>
        error.Code switch
        {
            ErrorCode.TopicAuthorizationFailed
            or ErrorCode.ClusterAuthorizationFailed
            or ErrorCode.GroupAuthorizationFailed
            or ErrorCode.TransactionalIdAuthorizationFailed => true,
            ErrorCode.SaslAuthenticationFailed
            or ErrorCode.Local_Authentication
            or ErrorCode.UnsupportedSaslMechanism
            or ErrorCode.IllegalSaslState
            or ErrorCode.SecurityDisabled => true,
            ErrorCode.UnknownTopicOrPart or ErrorCode.Local_UnknownTopic or ErrorCode.Local_UnknownPartition or ErrorCode.TopicException =>
                true,
            ErrorCode.InvalidConfig or ErrorCode.InvalidPartitions or ErrorCode.InvalidReplicationFactor or ErrorCode.PolicyViolation =>
                true,
            ErrorCode.UnsupportedVersion
            or ErrorCode.Local_UnsupportedFeature
            or ErrorCode.UnsupportedForMessageFormat
            or ErrorCode.InvalidTransactionTimeout
            or ErrorCode.InvalidRequiredAcks => true,
            ErrorCode.Local_InvalidArg => true,
            // A certificate that is not trusted is a person's business; a connection that ended in the middle of the handshake is not.
            ErrorCode.Local_Ssl => error.Reason.Contains("certificate", StringComparison.OrdinalIgnoreCase)
                || error.Reason.Contains("wrong version", StringComparison.OrdinalIgnoreCase),
            _ => false,
        };

    /// <summary>The position itself is what the broker, or the client, does not take: no message is to blame, and none can be
    /// delivered without it.</summary>
    public static SinkException OfPosition(string topic, Error error) =>
        new(
            SinkFault.Task,
            "Kafka does not take the task's own position for its position topic "
                + $"'{topic}': {error.Reason} ({error.Code}). Limits of sizes are max.message.bytes "
                + "of the topic and message.max.bytes of the connection's options; a position "
                + "takes some hundred bytes, and up to 64 KB while dead letters are retried."
        );

    /// <summary>A transaction that failed for no message's sake; of that the client only writes a text, which names the error.</summary>
    public static SinkException OfTransaction(string failure, Exception? inner = null) =>
        new(
            failure.Contains("AUTHORIZATION_FAILED", StringComparison.Ordinal) ? SinkFault.Task : SinkFault.Sink,
            $"Kafka: {failure}",
            inner
        );

    /// <summary>Everything that is not known to be the task's is the sink's: waited out, and visible.</summary>
    public static SinkException Translate(Error error, string doing, Exception? inner = null)
    {
        string reason = $"Kafka, {doing}: {error.Reason} ({error.Code})";
        if (error.Code is ErrorCode.UnsupportedVersion or ErrorCode.Local_UnsupportedFeature)
            reason += ". A broker without transactions needs Delivery 'AtLeastOnce'";
        return new SinkException(IsOfTask(error) ? SinkFault.Task : SinkFault.Sink, reason, inner);
    }
}
