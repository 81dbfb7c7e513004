using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Kafka;

/// <summary>
/// A removed task's position topic. It is the task's own, so it goes with it; but only while its last record is this server's
/// (one with a copy of the database may have
/// the task now, and would lose its position), and only in the shape that tasks give it. A folder that was copied by hand cannot
/// be told from the original.
/// </summary>
internal sealed class KafkaRemains(Func<KafkaClientConfig> config, string topic, Func<KafkaOwner, bool> isOwn) : ISinkRemains
{
    private static readonly TimeSpan s_time = TimeSpan.FromSeconds(10);

    /// <summary>A person waits for the answer.</summary>
    public static KafkaTimes Times { get; } = KafkaTimes.Default with { Opening = TimeSpan.FromSeconds(4) };

    public async Task<string?> RemoveAsync()
    {
        using var giveUp = new CancellationTokenSource(s_time);
        try
        {
            string? stays = null;
            await KafkaThread.RunAsync(() => stays = Remove(giveUp.Token)).ConfigureAwait(false);
            return stays;
        }
        catch (Exception e) when (e is SinkException or InvalidConfigurationException)
        {
            return NotRemoved(e.Message);
        }
        catch (OperationCanceledException) when (giveUp.IsCancellationRequested)
        {
            return NotRemoved($"it took longer than {s_time.TotalSeconds:0} s.");
        }
        catch (Exception e) when (e is InvalidOperationException or ArgumentException)
        {
            // The client does not take the configuration. The task is removed all the same.
            return NotRemoved(e.Message);
        }
    }

    private string? Remove(CancellationToken cancellation)
    {
        using var connection = new KafkaConnection(config(), null);
        var topics = new KafkaTopics(connection, createsTargets: false);
        if (!topics.IsPositionTopic(topic, cancellation))
            return null;
        var found = KafkaPositions.Read(connection, topic, cancellation);
        if (found.LastOwner is { } last && !isOwn(last))
            return $"The Kafka topic '{topic}' stays: another server, with a copy of this "
                + $"database, has the task now and keeps its positions there ({last}).";
        topics.Delete(topic, cancellation);
        return null;
    }

    private string NotRemoved(string reason) =>
        $"The Kafka topic '{topic}', in which the task kept its positions, could not be "
        + $"deleted: {reason} If no other server has a copy of this task, it can be deleted by hand.";
}
