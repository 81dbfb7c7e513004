using Jackdaw.Brokers;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Running;
using Xunit;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>What is done to tasks beside sending keeps their promise, too: nothing missing and nothing twice for who reads
/// committed messages.</summary>
[Collection(KafkaCollection.Name)]
[Trait("Category", "Slow")]
public sealed class KafkaOperatingTests(KafkaCollection.SharedBroker broker)
{
    /// <summary>Until it ends without a crash; a crash at each of the steps, once.</summary>
    private static async Task ThroughCrashesAsync(KafkaScene kafka, string[] steps, Func<Task> run)
    {
        var left = steps.ToList();
        kafka.Scene.AtFailpoint = name =>
        {
            if (left.Remove(name))
                throw new SimulatedCrashException(name);
        };
        while (true)
        {
            try
            {
                await run();
                Assert.Empty(left);
                return;
            }
            catch (SimulatedCrashException)
            {
                // The process is gone; another one starts.
            }
        }
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Retried_dead_letters_arrive_once_wherever_the_process_dies()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.Scene.Limits = kafka.Scene.Limits with { MaxBatchMessages = 2 };
        string right = $"loadTo('{kafka.Topic}', {{ n: this.n }});";
        await kafka.PutManyAsync(0, 20, i => $"{{\"n\":{i}}}");
        await kafka.Scene.StartAsync(
            kafka.Configuration($"if (this.n % 2) throw 'odd'; {right}") with
            {
                MaxFailedShare = 1,
            },
            kafka.Sink()
        );
        kafka.RunToIdle();
        Assert.Equal(10, kafka.Scene.DeadLetters().Length);
        await ThroughCrashesAsync(
            kafka,
            [Failpoint.KafkaProduced, Failpoint.KafkaCommitted, Failpoint.Sent, Failpoint.RetrySent, Failpoint.RetryRemoved],
            async () =>
            {
                await kafka.StartAsync(right);
                kafka.Scene.Task.Retry(
                    new RetryRequest(new DeadLetterFilter { TaskId = 7 }, asStored: false, kafka.Scene.Database.LastDurableEtag)
                );
                kafka.RunToIdle();
            }
        );
        kafka.AssertExactlyOnce();
        Assert.Empty(kafka.Scene.DeadLetters());
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Documents_that_are_deleted_when_sent_arrive_once_and_none_stays_wherever_the_process_dies()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.Scene.Limits = kafka.Scene.Limits with { MaxBatchMessages = 3 };
        await kafka.PutManyAsync(0, 20);
        await ThroughCrashesAsync(
            kafka,
            [
                Failpoint.KafkaProduced,
                Failpoint.KafkaCommitted,
                Failpoint.Sent,
                Failpoint.DeletingProcessed,
                Failpoint.ProcessedDeleted,
                Failpoint.PositionStored,
            ],
            async () =>
            {
                await kafka.Scene.StartAsync(kafka.Configuration() with { DeletingQueues = [kafka.Topic] }, kafka.Sink());
                kafka.RunToIdle();
            }
        );
        using (var reader = kafka.Scene.Database.OpenRead("test"))
            Assert.False(reader.ByEtag("Orders", 0).MoveNext());
        var subjects = kafka.Read().Select(message => message.Subject).ToArray();
        Assert.Equal(Enumerable.Range(0, 20).Select(i => $"orders/{i}").Order(), subjects.Order());
    }
}
