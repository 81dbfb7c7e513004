using Jackdaw.Documents;
using Jackdaw.Etl.AzureQueues;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Kafka;
using Jackdaw.Etl.RabbitMq;
using Jackdaw.Etl.Sinks;
using Jackdaw.Etl.Webhook;

namespace Jackdaw.Etl;

/// <summary>Which sink a task gets, and what a sink says of a task before it runs. Errors:
/// <see cref="InvalidConfigurationException"/>.</summary>
internal static class TaskSinks
{
    /// <summary>
    /// Returns why a connection string leads nowhere, as far as that can be known without connecting; null when nothing is known
    /// against it. Tasks that use it stop with that reason. The same for all sinks: it may name a variable or a file that is set
    /// up later. Throws <see cref="RefusedSecretException"/> for what connection strings must not use at all.
    /// </summary>
    public static string? Flaw(ConnectionString connection, EtlOptions options)
    {
        try
        {
            switch (connection.BrokerType)
            {
                case BrokerType.None:
                    connection.Webhook(options.Secrets);
                    break;
                case BrokerType.Kafka:
                    KafkaSinks.Check(connection.Kafka(options.Secrets), options);
                    break;
                case BrokerType.RabbitMq:
                    connection.RabbitMq(options.Secrets);
                    break;
                case BrokerType.AzureQueueStorage:
                    connection.AzureQueues(options.Secrets);
                    break;
            }
            return null;
        }
        catch (InvalidConfigurationException e) when (e is not RefusedSecretException)
        {
            return e.Message;
        }
    }

    /// <summary>What can be known of a task's sink before it runs.</summary>
    public static void Check(TaskDefinition definition, ConnectionString connection)
    {
        if (connection.BrokerType != definition.BrokerType)
            throw new InvalidConfigurationException(
                $"The task is for {definition.BrokerType}, and its connection string '{connection.Name}' for {connection.BrokerType}."
            );
        switch (definition.BrokerType)
        {
            case BrokerType.None:
                break;
            case BrokerType.Kafka:
                KafkaSinks.Check(definition);
                break;
            case BrokerType.RabbitMq:
                CheckTargets(definition, RabbitMqNames.RefusalOfExchange, "an exchange of RabbitMQ");
                break;
            case BrokerType.AzureQueueStorage:
                CheckTargets(definition, target => AzureNames.WhyNot(AzureNames.Queue(target)), "an Azure queue");
                break;
            default:
                throw NotYet(definition);
        }
    }

    /// <summary>Are the positions at the receiver, those of the database being hints?</summary>
    public static bool KeepsPositions(TaskDefinition definition) =>
        definition.BrokerType == BrokerType.Kafka && definition.Kafka().Delivery == KafkaDelivery.Transactional;

    /// <summary>The sink is the caller's.</summary>
    public static ISink Create(TaskDefinition definition, ConnectionString connection, Database database, EtlOptions options) =>
        definition.BrokerType switch
        {
            BrokerType.None => new WebhookSink(connection.Webhook(options.Secrets), options.Clock, options.Targets),
            BrokerType.Kafka => KafkaSinks.Create(definition, connection.Kafka(options.Secrets), database, options),
            BrokerType.RabbitMq => new RabbitMqSink(
                connection.RabbitMq(options.Secrets),
                definition.RabbitMq,
                $"jackdaw {database.Name}/{definition.Configuration.Name}"
            ),
            BrokerType.AzureQueueStorage => new AzureQueueSink(
                connection.AzureQueues(options.Secrets) with
                {
                    SkipsDeclaration = definition.SkipsQueueDeclaration,
                },
                options.Clock,
                targets: options.Targets
            ),
            _ => throw NotYet(definition),
        };

    /// <summary>What a task has put at its receiver for itself; null: nothing.</summary>
    public static ISinkRemains? Remains(TaskDefinition definition, ConnectionString connection, Database database, EtlOptions options) =>
        definition.BrokerType == BrokerType.Kafka && connection.BrokerType == BrokerType.Kafka
            ? KafkaSinks.Remains(definition.Configuration.Id, connection, database, options)
            : null;

    private static UnsupportedKindException NotYet(TaskDefinition definition) =>
        new(
            $"Tasks for {definition.BrokerType} are not supported yet; there are "
                + "Kafka, RabbitMq, AzureQueueStorage and webhooks (BrokerType None)."
        );

    /// <summary>Of the names that stand in the scripts; those that a script computes are met when it runs.</summary>
    private static void CheckTargets(TaskDefinition definition, Func<string, string?> whyNot, string what)
    {
        foreach (var transform in definition.Configuration.Transforms)
        {
            foreach (string target in Transforming.ScriptTargets.Literal(transform.Script))
            {
                if (whyNot(target) is { } reason)
                    throw new InvalidConfigurationException(
                        $"The script of '{transform.Name}' names '{target}', which is no name for {what}: {reason}"
                    );
            }
        }
    }
}
