using System.Globalization;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Kafka;

/// <summary>The topics that a task writes to: are they there, and if not may they be made? Asks once for each. Errors:
/// <see cref="SinkException"/>.</summary>
internal sealed class KafkaTopics(KafkaConnection connection, bool createsTargets)
{
    private static readonly TimeSpan s_propagationPause = TimeSpan.FromMilliseconds(20);

    /// <summary>What the client puts into one batch at most; a topic that takes as much needs no thought.</summary>
    private const long ClientBatchBytes = 1_000_000;

    // With the largest batch of each; null where the client's own limit is lower, or nobody may know.
    private readonly Dictionary<string, long?> _known = new(StringComparer.Ordinal);

    /// <summary>Bytes of a batch that the topic takes, where that is less than the client makes of it.</summary>
    public long? BatchLimit(string topic) => _known.GetValueOrDefault(topic);

    /// <summary>Every topic is there when it returns.</summary>
    public void EnsureTargets(IEnumerable<string> names, CancellationToken cancellation)
    {
        string[] unknown = names.Where(name => !_known.ContainsKey(name)).Distinct(StringComparer.Ordinal).ToArray();
        if (unknown.Length == 0)
            return;
        var missing = Describe(unknown, cancellation).Where(topic => topic.Value is null).Select(topic => topic.Key).ToArray();
        if (missing.Length > 0)
        {
            if (!createsTargets)
                throw new SinkException(
                    SinkFault.Task,
                    $"The Kafka topic '{missing[0]}' does not exist, and the task has SkipAutomaticQueueDeclaration."
                );
            // The broker's own numbers of partitions and replicas.
            Create(
                missing.Select(name => new TopicSpecification
                {
                    Name = name,
                    NumPartitions = -1,
                    ReplicationFactor = -1,
                }),
                cancellation
            );
            Await(missing, cancellation);
        }
        var found = TrySettings(unknown, cancellation);
        foreach (string name in unknown)
        {
            string? text = found.GetValueOrDefault(name)?.GetValueOrDefault("max.message.bytes")?.Value;
            _known[name] =
                long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long bytes) && bytes < ClientBatchBytes
                    ? bytes
                    : null;
        }
    }

    /// <summary>As <see cref="Settings"/>; empty where the broker does not tell them at all: to know them is of use, and not
    /// needed.</summary>
    private Dictionary<string, Dictionary<string, ConfigEntryResult>?> TrySettings(
        IReadOnlyList<string> names,
        CancellationToken cancellation
    )
    {
        try
        {
            return Settings(names, cancellation);
        }
        catch (SinkException e) when (e.Fault == SinkFault.Task)
        {
            return [];
        }
    }

    /// <summary>Creates the topic of positions, or looks whether it is one.</summary>
    public void EnsurePositionTopic(string name, CancellationToken cancellation)
    {
        if (Describe([name], cancellation)[name] is null)
        {
            Create(
                [
                    new TopicSpecification
                    {
                        Name = name,
                        NumPartitions = 1,
                        ReplicationFactor = -1,
                        // Small segments, so that compaction keeps what is read at a start short.
                        Configs = new()
                        {
                            ["cleanup.policy"] = "compact",
                            ["segment.bytes"] = "4194304",
                            ["min.cleanable.dirty.ratio"] = "0.1",
                        },
                    },
                ],
                cancellation
            );
            Await([name], cancellation);
        }
        Verify(name, cancellation);
    }

    /// <summary>Is it there? Throws also when it is in another shape.</summary>
    public bool IsPositionTopic(string name, CancellationToken cancellation)
    {
        if (Describe([name], cancellation)[name] is null)
            return false;
        Verify(name, cancellation);
        return true;
    }

    public void Delete(string name, CancellationToken cancellation)
    {
        try
        {
            var options = new DeleteTopicsOptions
            {
                RequestTimeout = connection.Times.Opening,
                OperationTimeout = connection.Times.Opening,
            };
            connection.Ask(
                async () =>
                {
                    await connection.Admin.DeleteTopicsAsync([name], options).ConfigureAwait(false);
                    return true;
                },
                $"deleting the topic '{name}'",
                cancellation
            );
        }
        catch (SinkException e) when (e.InnerException is DeleteTopicsException some)
        {
            // Somebody else was faster: all the better.
            if (
                some.Results.Find(result =>
                    result.Error.IsError && result.Error.Code is not (ErrorCode.UnknownTopicOrPart or ErrorCode.Local_UnknownTopic)
                ) is
                { } failed
            )
                throw KafkaErrors.Translate(failed.Error, $"deleting the topic '{failed.Topic}'", some);
        }
    }

    private void Verify(string name, CancellationToken cancellation)
    {
        int partitions = Describe([name], cancellation)[name]?.Partitions.Count ?? 0;
        if (partitions != 1)
            throw new SinkException(SinkFault.Task, $"The position topic '{name}' has {partitions} partitions; it must have one.");
        var settings =
            Settings([name], cancellation)[name]
            ?? throw new SinkException(
                SinkFault.Task,
                $"No right to see the settings of the position topic '{name}', which must be compacted."
            );
        string? policy = settings.GetValueOrDefault("cleanup.policy")?.Value;
        if (policy != "compact")
            throw new SinkException(
                SinkFault.Task,
                $"The position topic '{name}' has cleanup.policy '{policy}'; it must be 'compact', or positions would be lost."
            );
    }

    /// <summary>The settings of topics by name; null where there is no right to see them.</summary>
    private Dictionary<string, Dictionary<string, ConfigEntryResult>?> Settings(IReadOnlyList<string> names, CancellationToken cancellation)
    {
        var resources = names.Select(name => new ConfigResource { Type = ResourceType.Topic, Name = name }).ToArray();
        try
        {
            var found = connection.Ask(
                () =>
                    connection.Admin.DescribeConfigsAsync(
                        resources,
                        new DescribeConfigsOptions { RequestTimeout = connection.Times.Opening }
                    ),
                "asking for settings of topics",
                cancellation
            );
            return found.ToDictionary(
                topic => topic.ConfigResource.Name,
                topic => (Dictionary<string, ConfigEntryResult>?)topic.Entries,
                StringComparer.Ordinal
            );
        }
        catch (SinkException e) when (e.InnerException is DescribeConfigsException some)
        {
            if (some.Results.Find(result => result.Error.IsError && result.Error.Code != ErrorCode.TopicAuthorizationFailed) is { } failed)
                throw KafkaErrors.Translate(failed.Error, $"asking for the settings of '{failed.ConfigResource.Name}'", some);
            return some.Results.ToDictionary(
                topic => topic.ConfigResource.Name,
                topic => topic.Error.IsError ? null : topic.Entries,
                StringComparer.Ordinal
            );
        }
    }

    /// <summary>By name; null for those that do not exist.</summary>
    private Dictionary<string, TopicDescription?> Describe(IReadOnlyList<string> names, CancellationToken cancellation)
    {
        List<TopicDescription> found;
        try
        {
            found = connection
                .Ask(
                    () =>
                        connection.Admin.DescribeTopicsAsync(
                            TopicCollection.OfTopicNames(names),
                            new DescribeTopicsOptions { RequestTimeout = connection.Times.Opening }
                        ),
                    "asking for topics",
                    cancellation
                )
                .TopicDescriptions;
        }
        catch (SinkException e) when (e.InnerException is DescribeTopicsException some)
        {
            found = some.Results.TopicDescriptions;
        }
        foreach (var topic in found)
        {
            if (topic.Error.IsError && topic.Error.Code is not (ErrorCode.UnknownTopicOrPart or ErrorCode.Local_UnknownTopic))
                throw KafkaErrors.Translate(topic.Error, $"asking for the topic '{topic.Name}'");
        }
        return found.ToDictionary(topic => topic.Name, topic => topic.Error.IsError ? null : topic, StringComparer.Ordinal);
    }

    private void Create(IEnumerable<TopicSpecification> topics, CancellationToken cancellation)
    {
        try
        {
            var options = new CreateTopicsOptions
            {
                RequestTimeout = connection.Times.Opening,
                OperationTimeout = connection.Times.Opening,
            };
            connection.Ask(
                async () =>
                {
                    await connection.Admin.CreateTopicsAsync(topics, options).ConfigureAwait(false);
                    return true;
                },
                "creating topics",
                cancellation
            );
        }
        catch (SinkException e) when (e.InnerException is CreateTopicsException some)
        {
            // Somebody else was faster: all the better.
            if (some.Results.Find(result => result.Error.IsError && result.Error.Code != ErrorCode.TopicAlreadyExists) is { } failed)
                throw KafkaErrors.Translate(failed.Error, $"creating the topic '{failed.Topic}'", some);
        }
    }

    /// <summary>A topic is made before all brokers know of it.</summary>
    private void Await(IReadOnlyList<string> names, CancellationToken cancellation)
    {
        long began = Environment.TickCount64;
        while (Describe(names, cancellation).Values.Any(topic => topic is null || topic.Partitions.Count == 0))
        {
            if (Environment.TickCount64 - began > connection.Times.Opening.TotalMilliseconds)
                throw connection.TimedOut("waiting for new topics", connection.Times.Opening);
            cancellation.ThrowIfCancellationRequested();
            Thread.Sleep(s_propagationPause);
        }
    }
}
