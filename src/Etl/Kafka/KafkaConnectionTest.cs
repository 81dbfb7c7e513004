using Confluent.Kafka;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Kafka;

/// <summary>Whether a cluster is reached with the credentials that there are: asks for its brokers, outside of any transaction,
/// so that no task is fenced by it.</summary>
internal sealed class KafkaConnectionTest(KafkaClientConfig config) : IConnectionTest
{
    public Task<string> TestAsync(CancellationToken cancellation) =>
        // The client's calls block.
        Task.Factory.StartNew(() => Test(cancellation), cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private string Test(CancellationToken cancellation)
    {
        const string Doing = "testing the connection";
        using var connection = new KafkaConnection(config, null);
        long began = TimeProvider.System.GetTimestamp();
        while (TimeProvider.System.GetElapsedTime(began) < config.Times.Opening)
        {
            cancellation.ThrowIfCancellationRequested();
            connection.ThrowIfRefused(Doing);
            try
            {
                var found = connection.Admin.GetMetadata(KafkaTimes.Slice);
                return $"Kafka at {config.Settings.BootstrapServers} is reached: {found.Brokers.Count} "
                    + $"broker{(found.Brokers.Count == 1 ? "" : "s")}. Nothing was sent.";
            }
            catch (KafkaException e)
                when (e.Error.Code
                        is ErrorCode.Local_TimedOut
                            or ErrorCode.Local_Transport
                            or ErrorCode.Local_AllBrokersDown
                            or ErrorCode.Local_Resolve
                )
            {
                // Not yet: a slice of the time that there is.
                cancellation.WaitHandle.WaitOne(KafkaTimes.Slice);
            }
            catch (KafkaException e)
            {
                throw connection.Translate(e, Doing);
            }
        }
        throw connection.TimedOut(Doing, config.Times.Opening);
    }
}
