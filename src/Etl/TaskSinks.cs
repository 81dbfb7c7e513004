using Jackdaw.Documents;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Kafka;
using Jackdaw.Etl.Sinks;
using Jackdaw.Etl.Webhook;

namespace Jackdaw.Etl;

/// <summary>Which sink a task gets. Errors: <see cref="InvalidConfigurationException"/>.</summary>
internal static class TaskSinks
{
    /// <summary>What can be known of a connection before it is saved.</summary>
    public static void Check(ConnectionString connection, EtlOptions options)
    {
        if (connection.BrokerType == BrokerType.Kafka)
            KafkaSinks.Check(connection.Kafka(), options);
    }

    /// <summary>What can be known of a task's sink before it runs.</summary>
    public static void Check(TaskDefinition definition, ConnectionString connection)
    {
        if (connection.BrokerType != definition.BrokerType)
            throw new InvalidConfigurationException($"The task is for {definition.BrokerType}, and its connection string '{connection.Name}' for {connection.BrokerType}.");
        switch (definition.BrokerType)
        {
            case BrokerType.None:
                break;
            case BrokerType.Kafka:
                KafkaSinks.Check(definition);
                break;
            default:
                throw NotYet(definition);
        }
    }

    /// <summary>The sink is the caller's.</summary>
    public static ISink Create(TaskDefinition definition, ConnectionString connection, Database database, EtlOptions options) => definition.BrokerType switch
    {
        BrokerType.None => new WebhookSink(connection.Webhook(), options.Clock),
        BrokerType.Kafka => KafkaSinks.Create(definition, connection.Kafka(), database, options),
        _ => throw NotYet(definition),
    };

    private static InvalidConfigurationException NotYet(TaskDefinition definition) =>
        new($"Tasks for {definition.BrokerType} are not supported yet; there are Kafka and webhooks (BrokerType None).");
}
