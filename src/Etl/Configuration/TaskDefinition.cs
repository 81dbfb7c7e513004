using System.Text;
using System.Text.Json.Nodes;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Etl.RabbitMq;

namespace Jackdaw.Etl.Configuration;

/// <summary>A task as a client gave it, with its id. Immutable.</summary>
public sealed class TaskDefinition
{
    private const int MaxBytes = 4 << 20;

    private readonly byte[] _json;

    private TaskDefinition(byte[] json, string connectionStringName, BrokerType brokerType, EtlTaskConfiguration configuration)
    {
        _json = json;
        ConnectionStringName = connectionStringName;
        BrokerType = brokerType;
        Configuration = configuration;
    }

    /// <summary>What the task does.</summary>
    public EtlTaskConfiguration Configuration { get; }

    /// <summary>The connection string that it sends to.</summary>
    public string ConnectionStringName { get; }

    /// <summary>The kind of broker that the connection string must be for.</summary>
    public BrokerType BrokerType { get; }

    /// <summary>The same as a word of this server's own routes: <c>Webhook</c> for None.</summary>
    public string Sink => SinkName.Of(BrokerType);

    /// <summary>Heard when <see cref="BrokerType"/> is RabbitMq.</summary>
    public RabbitMqOptions RabbitMq { get; private init; } = new();

    /// <summary>Queues, topics and exchanges must be there already: the protocol's <c>SkipAutomaticQueueDeclaration</c>.</summary>
    public bool SkipsQueueDeclaration { get; private init; }

    /// <summary>The protocol's configuration object, <c>TaskId</c> and <c>Name</c> filled in.</summary>
    public JsonObject Object() => JsonMembers.Parse(_json, "The task").Object;

    /// <summary>What it says about Kafka. Throws <see cref="InvalidConfigurationException"/>.</summary>
    internal Kafka.KafkaTaskSettings Kafka() =>
        Etl.Kafka.KafkaTaskSettings.Read(JsonMembers.Parse(_json, $"The task '{Configuration.Name}'"));

    internal byte[] ToBytes() => _json;

    /// <summary>Why what was stored cannot be a task; null for one that can.</summary>
    internal string? Flaw { get; private init; }

    /// <summary>
    /// One that was stored. What another version of the server took and this one does not is a task that cannot start: it must
    /// keep neither the database nor the others
    /// from starting.
    /// </summary>
    internal static TaskDefinition Stored(byte[] json, long id)
    {
        try
        {
            return Parse(json, id);
        }
        catch (InvalidConfigurationException e)
        {
            return new TaskDefinition(
                json,
                "",
                BrokerType.None,
                new EtlTaskConfiguration
                {
                    Id = id,
                    Name = $"task {id}",
                    Transforms = [],
                }
            )
            {
                Flaw = e.Message,
            };
        }
    }

    /// <summary>The same with another <c>Disabled</c>.</summary>
    internal TaskDefinition With(bool disabled)
    {
        var changed = JsonMembers.Parse(_json, "The task");
        changed.Object["Disabled"] = disabled;
        return Parse(Encoding.UTF8.GetBytes(changed.Object.ToJsonString()), Configuration.Id);
    }

    /// <summary>The same with another rate limit.</summary>
    internal TaskDefinition With(RateLimit limit)
    {
        var changed = JsonMembers.Parse(_json, "The task");
        changed.Object[RateLimit.DocumentsMember] = limit.DocumentsPerSecond;
        changed.Object[RateLimit.MessagesMember] = limit.MessagesPerSecond;
        return Parse(Encoding.UTF8.GetBytes(changed.Object.ToJsonString()), Configuration.Id);
    }

    /// <summary>Throws <see cref="InvalidConfigurationException"/>. Scripts are not compiled here.</summary>
    internal static TaskDefinition Parse(ReadOnlySpan<byte> json, long id)
    {
        if (json.Length > MaxBytes)
            throw new InvalidConfigurationException($"The task has {json.Length:N0} bytes, over the limit of {MaxBytes:N0} (fixed).");
        var members = JsonMembers.Parse(json, "The task");
        SinkName.Translate(members, "EtlType");
        string type = members.Text("EtlType") ?? "";
        if (type.Length == 0)
            throw new InvalidConfigurationException("The task must have an 'EtlType'; there is 'Queue'.");
        if (type != "Queue")
            throw new UnsupportedKindException($"Tasks of EtlType '{type}' are not supported yet; there is 'Queue'.");
        string connection = members.RequiredText("ConnectionStringName");
        string name = members.Text("Name") is { Length: > 0 } given ? members.RequiredText("Name") : $"Queue ETL to {connection}";
        members.Object["TaskId"] = id;
        members.Object["Name"] = name;
        string[] deleting = members
            .List("Queues")
            .Where(queue => queue.Flag("DeleteProcessedDocuments"))
            .Select(queue => queue.RequiredText("Name"))
            .ToArray();
        var transforms = members.List("Transforms").Select((transform, i) => Transform(transform, i)).ToArray();
        if (transforms.Length == 0)
            throw new InvalidConfigurationException("The task must have at least one of 'Transforms'.");
        if (
            transforms.GroupBy(transform => transform.Name, StringComparer.OrdinalIgnoreCase).FirstOrDefault(group => group.Count() > 1) is
            { } twice
        )
            throw new InvalidConfigurationException($"The task has two transforms named '{twice.Key}'.");
        if (deleting.Length > 0)
        {
            RequireNoEvents(transforms);
            RequireOneReaderEach(transforms);
        }
        var configuration = new EtlTaskConfiguration
        {
            Id = id,
            Name = name,
            Disabled = members.Flag("Disabled"),
            Transforms = transforms,
            MaxFailedShare = InRange(members.Number("MaxFailedShare", 0.5), 0, 1, "MaxFailedShare"),
            FailureWindow = (int)InRange(members.Number("FailureWindow", 100), 1, 100_000, "FailureWindow"),
            RateLimit = RateLimit.Read(members),
            DeletingQueues = deleting,
        };
        return new TaskDefinition(
            Encoding.UTF8.GetBytes(members.Object.ToJsonString()),
            connection,
            members.Enum("BrokerType", BrokerType.None),
            configuration
        )
        {
            RabbitMq = RabbitMqOptions.Parse(members),
            SkipsQueueDeclaration = members.Flag("SkipAutomaticQueueDeclaration"),
        };
    }

    /// <summary>Throws <see cref="InvalidConfigurationException"/>.</summary>
    internal static TransformConfiguration Transform(JsonMembers members, int index, bool needsCollections = true)
    {
        var transform = new TransformConfiguration
        {
            Name = members.Text("Name") is { Length: > 0 } ? members.RequiredText("Name") : $"Script #{index + 1}",
            Disabled = members.Flag("Disabled"),
            Collections = members.Texts("Collections"),
            ApplyToAllDocuments = members.Flag("ApplyToAllDocuments"),
            Script = members.RequiredText("Script"),
            PublishDeletes = members.Flag("PublishDeletes"),
            Start = members.Start("StartFrom"),
        };
        if (needsCollections && transform.Collections.Count == 0 && !transform.ApplyToAllDocuments)
            throw new InvalidConfigurationException(
                $"The transform '{transform.Name}' must name 'Collections', or apply to all documents ('ApplyToAllDocuments')."
            );
        if (!transform.Script.Contains(Transforming.ScriptTargets.Prefix, StringComparison.Ordinal))
            throw new InvalidConfigurationException($"The script of '{transform.Name}' never calls loadTo, so it would send nothing.");
        return transform;
    }

    private static void RequireNoEvents(TransformConfiguration[] transforms)
    {
        if (transforms.FirstOrDefault(transform => transform.ReadsEvents) is { } reader)
            throw new InvalidConfigurationException(
                $"The transform '{reader.Name}' reads '{EventsRoom.Collection}', whose events are read-only as documents: "
                    + "its task cannot have a queue with DeleteProcessedDocuments. Delete events with DELETE /events."
            );
    }

    /// <summary>A document that one transform has sent is deleted, whether or not another has read it: so there must not be
    /// another.</summary>
    private static void RequireOneReaderEach(TransformConfiguration[] transforms)
    {
        bool isOverlapping =
            transforms.Length > 1
            && (
                transforms.Any(transform => transform.ApplyToAllDocuments)
                || transforms
                    .SelectMany(transform => transform.Collections.Distinct(StringComparer.OrdinalIgnoreCase))
                    .GroupBy(name => name, StringComparer.OrdinalIgnoreCase)
                    .Any(group => group.Count() > 1)
            );
        if (isOverlapping)
            throw new InvalidConfigurationException(
                "With DeleteProcessedDocuments, two transforms of the task must not read the "
                    + "same collection: what one has sent would be deleted before the other has read it."
            );
    }

    private static double InRange(double value, double least, double most, string name) =>
        value >= least && value <= most
            ? value
            : throw new InvalidConfigurationException($"The task's '{name}' must be from {least} to {most}, not {value}.");
}
