using Jackdaw.Etl.RabbitMq;
using Jackdaw.Etl.Sinks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;
using Xunit;

namespace Jackdaw.Etl.Tests.RabbitMq;

/// <summary>What the broker's reply codes mean, those too that a test can hardly make it say.</summary>
public class RabbitMqClosingTests
{
    private static readonly RabbitMqAddress s_address = new RabbitMqSettings { ConnectionString = "amqp://h" }.Address();

    [Theory]
    [InlineData(311, "CONTENT_TOO_LARGE", SinkFault.Sink, true)]
    [InlineData(320, "CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'", SinkFault.Sink, false)]
    [InlineData(402, "INVALID_PATH", SinkFault.Task, false)]
    [InlineData(403, "ACCESS_REFUSED", SinkFault.Task, false)]
    [InlineData(404, "NOT_FOUND - no exchange 'x'", SinkFault.Task, false)]
    [InlineData(406, "PRECONDITION_FAILED - message size 2 is larger than configured max size 1", SinkFault.Sink, true)]
    [InlineData(501, "FRAME_ERROR", SinkFault.Sink, true)]
    [InlineData(502, "SYNTAX_ERROR", SinkFault.Sink, true)]
    [InlineData(504, "CHANNEL_ERROR", SinkFault.Sink, false)]
    [InlineData(505, "UNEXPECTED_FRAME", SinkFault.Sink, true)]
    [InlineData(506, "RESOURCE_ERROR", SinkFault.Sink, false)]
    [InlineData(530, "NOT_ALLOWED - vhost x not found", SinkFault.Task, false)]
    [InlineData(530, "NOT_ALLOWED - connection refused: node connection limit (10) is reached", SinkFault.Sink, false)]
    [InlineData(540, "NOT_IMPLEMENTED", SinkFault.Task, false)]
    [InlineData(541, "INTERNAL_ERROR", SinkFault.Sink, false)]
    public void A_channel_that_the_broker_closes_is_the_fault_of_task_sink_or_one_of_the_messages(
        ushort code,
        string text,
        object fault,
        bool isOfMessage
    )
    {
        var reason = new ShutdownEventArgs(ShutdownInitiator.Peer, code, text);
        var error = RabbitMqFaults.OfClosing(reason, s_address, declares: false);
        Assert.Equal((fault, isOfMessage), (error.Fault, RabbitMqFaults.IsOfMessage(reason)));
        Assert.Contains($"{code} {text}", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_missing_exchange_is_declared_anew_where_exchanges_are_declared() =>
        Assert.Equal(
            SinkFault.Sink,
            RabbitMqFaults.OfClosing(new ShutdownEventArgs(ShutdownInitiator.Peer, 404, "NOT_FOUND"), s_address, declares: true).Fault
        );

    [Theory]
    [InlineData(403, SinkFault.Task)]
    [InlineData(404, SinkFault.Sink)]
    [InlineData(405, SinkFault.Task)]
    [InlineData(406, SinkFault.Task)]
    [InlineData(541, SinkFault.Sink)]
    public void What_cannot_be_declared_is_the_fault_of_task_or_sink(ushort code, object fault)
    {
        var refused = new OperationInterruptedException(new ShutdownEventArgs(ShutdownInitiator.Peer, code, "WORDS"));
        var error = RabbitMqFaults.OfDeclaring(refused, "the exchange 'x'", s_address, TimeSpan.FromSeconds(1));
        Assert.Equal(fault, error.Fault);
        Assert.Contains($"{code} WORDS", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(
        "No compatible authentication mechanism found - server offered [PLAIN AMQPLAIN]",
        SinkFault.Task,
        "does not offer the authentication 'External'"
    )]
    [InlineData("error:0A000418:SSL routines::tlsv1 alert unknown ca", SinkFault.Task, "does not trust the client's certificate")]
    [InlineData("error:0A00045C:SSL routines::tlsv13 alert certificate required", SinkFault.Task, "wants to see one")]
    [InlineData("error:0A000126:SSL routines::unexpected eof while reading", SinkFault.Sink, "cannot be reached")]
    public void What_a_connection_ends_with_while_it_is_opened_tells_whose_fault_it_is(string innermost, object fault, string words)
    {
        var settings = new RabbitMqSettings { ConnectionString = "amqps://h", AuthMechanism = RabbitMqAuthMechanism.External };
        var error = RabbitMqFaults.OfOpening(
            new BrokerUnreachableException(new IOException("Not read.", new IOException(innermost))),
            s_address,
            settings
        );
        Assert.Equal(fault, error.Fault);
        Assert.Contains(words, error.Message, StringComparison.Ordinal);
        Assert.Contains(innermost, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_connection_that_ends_without_a_word_of_the_broker_is_the_sinks()
    {
        var ended = new ShutdownEventArgs(ShutdownInitiator.Library, 0, "End of stream", new EndOfStreamException("gone"));
        Assert.Equal(SinkFault.Sink, RabbitMqFaults.OfClosing(ended, s_address, declares: false).Fault);
        Assert.False(RabbitMqFaults.IsOfMessage(ended));
        Assert.Equal(SinkFault.Sink, RabbitMqFaults.OfClosing(null, s_address, declares: false).Fault);
    }
}
