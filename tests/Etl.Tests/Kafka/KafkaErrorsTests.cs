using Confluent.Kafka;
using Jackdaw.Etl.Kafka;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>What the client's error codes mean, those too that a test can hardly make a broker say.</summary>
public sealed class KafkaErrorsTests
{
    [Theory]
    [InlineData(ErrorCode.TopicAuthorizationFailed, SinkFault.Task)]
    [InlineData(ErrorCode.ClusterAuthorizationFailed, SinkFault.Task)]
    [InlineData(ErrorCode.TransactionalIdAuthorizationFailed, SinkFault.Task)]
    [InlineData(ErrorCode.SaslAuthenticationFailed, SinkFault.Task)]
    [InlineData(ErrorCode.UnsupportedSaslMechanism, SinkFault.Task)]
    [InlineData(ErrorCode.UnknownTopicOrPart, SinkFault.Task)]
    [InlineData(ErrorCode.PolicyViolation, SinkFault.Task)]
    [InlineData(ErrorCode.InvalidReplicationFactor, SinkFault.Task)]
    [InlineData(ErrorCode.InvalidConfig, SinkFault.Task)]
    [InlineData(ErrorCode.NotEnoughReplicas, SinkFault.Sink)]
    [InlineData(ErrorCode.LeaderNotAvailable, SinkFault.Sink)]
    [InlineData(ErrorCode.NotCoordinatorForGroup, SinkFault.Sink)]
    [InlineData(ErrorCode.GroupLoadInProgress, SinkFault.Sink)]
    [InlineData(ErrorCode.Local_Resolve, SinkFault.Sink)]
    [InlineData(ErrorCode.Local_Transport, SinkFault.Sink)]
    [InlineData(ErrorCode.Local_Fenced, SinkFault.Sink)]
    [InlineData(ErrorCode.InvalidProducerEpoch, SinkFault.Sink)]
    public void An_error_is_the_fault_of_task_or_sink(ErrorCode code, object fault)
    {
        Assert.False(KafkaErrors.IsOfMessage(code));
        var error = KafkaErrors.Translate(new Error(code, "in its own words"), "doing something");
        Assert.Equal((fault, $"Kafka, doing something: in its own words ({code})"), ((object)error.Fault, error.Message));
    }

    [Theory]
    [InlineData(ErrorCode.UnsupportedVersion)]
    [InlineData(ErrorCode.Local_UnsupportedFeature)]
    public void A_broker_that_is_too_old_is_the_tasks_fault_and_what_to_choose_is_told(ErrorCode code)
    {
        var error = KafkaErrors.Translate(new Error(code), "doing something");
        Assert.Equal(SinkFault.Task, error.Fault);
        Assert.EndsWith("A broker without transactions needs Delivery 'AtLeastOnce'", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(ErrorCode.MsgSizeTooLarge)]
    [InlineData(ErrorCode.RecordListTooLarge)]
    [InlineData(ErrorCode.InvalidRecord)]
    [InlineData(ErrorCode.InvalidTimestamp)]
    public void A_record_that_a_topic_refuses_is_the_messages_fault_and_the_tasks_when_it_is_its_position(ErrorCode code)
    {
        Assert.True(KafkaErrors.IsOfMessage(code));
        Assert.Equal(SinkFault.Task, KafkaErrors.OfPosition("positions", new Error(code)).Fault);
    }

    [Theory]
    [InlineData("Certificate verify failed", SinkFault.Task)]
    [InlineData("SSL handshake failed: wrong version number", SinkFault.Task)]
    [InlineData("SSL handshake failed: Disconnected", SinkFault.Sink)]
    public void Of_a_secure_connection_a_certificate_is_the_tasks_fault_and_an_end_in_the_middle_the_sinks(string reason, object fault) =>
        Assert.Equal(fault, KafkaErrors.Translate(new Error(ErrorCode.Local_Ssl, reason), "connecting").Fault);

    [Theory]
    [InlineData("Current transaction failed in state InTransaction: … (TOPIC_AUTHORIZATION_FAILED): … \"t\" [0] …", SinkFault.Task)]
    [InlineData("Current transaction failed in state InTransaction: … (COORDINATOR_NOT_AVAILABLE)", SinkFault.Sink)]
    public void A_transaction_that_failed_for_no_messages_sake_is_the_fault_of_task_or_sink(string failure, object fault) =>
        Assert.Equal(fault, KafkaErrors.OfTransaction(failure).Fault);
}
