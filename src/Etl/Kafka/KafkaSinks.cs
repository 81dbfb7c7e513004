using Jackdaw.Documents;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Sinks;
using Jackdaw.Etl.Transforming;

namespace Jackdaw.Etl.Kafka;

/// <summary>The sinks of this folder as tasks get them. Errors: <see cref="InvalidConfigurationException"/>.</summary>
internal static class KafkaSinks
{
    /// <summary>What can be known before a connection is saved: refused options, and those that the client does not know.</summary>
    public static void Check(KafkaSettings settings, EtlOptions options) =>
        KafkaConnection.Check(new KafkaClientConfig(settings, options.ServerCertificate, KafkaTimes.Default, options.Targets));

    /// <summary>What can be known before a task is saved.</summary>
    public static void Check(TaskDefinition definition)
    {
        definition.Kafka();
        foreach (var transform in definition.Configuration.Transforms)
        {
            foreach (string target in ScriptTargets.Literal(transform.Script))
            {
                if (KafkaTopicName.Refusal(target) is { } reason)
                    throw new InvalidConfigurationException($"The script of '{transform.Name}': {reason}");
            }
        }
    }

    /// <summary>The position topic of a task that has ever had one; null: it has not.</summary>
    public static ISinkRemains? Remains(long taskId, ConnectionString connection, Database database, EtlOptions options)
    {
        if (new KafkaOwnership(database, taskId).Own() is not { } isOwn)
            return null;
        return new KafkaRemains(
            () => new KafkaClientConfig(connection.Kafka(options.Secrets), options.ServerCertificate, KafkaRemains.Times, options.Targets),
            new KafkaTaskNames(database.Id, taskId).PositionTopic,
            isOwn
        );
    }

    public static ISink Create(TaskDefinition definition, KafkaSettings settings, Database database, EtlOptions options)
    {
        var task = definition.Kafka();
        var config = new KafkaClientConfig(settings, options.ServerCertificate, KafkaTimes.Default, options.Targets);
        if (task.Delivery == KafkaDelivery.AtLeastOnce)
            return new KafkaAtLeastOnceSink(config, task);
        long id = definition.Configuration.Id;
        return new KafkaTransactionalSink(
            config,
            task,
            new KafkaTaskNames(database.Id, id),
            new KafkaOwnership(database, id),
            name => options.FailpointReached?.Invoke(name)
        );
    }
}
