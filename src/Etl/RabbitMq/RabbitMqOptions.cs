using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>What a task declares at a RabbitMQ broker; see docs/etl.md, "RabbitMQ".</summary>
public sealed record RabbitMqOptions
{
    private static readonly string[] s_members =
    [
        nameof(ExchangeType),
        nameof(QueueType),
        nameof(DeadLetterExchange),
        nameof(MaxLength),
        nameof(MaxLengthBytes),
        nameof(Overflow),
    ];

    /// <summary>Where a message has the attributes of its event.</summary>
    public CloudEventsMode CloudEventsMode { get; init; }

    /// <summary>Nothing is declared: exchanges, queues and bindings are a person's.</summary>
    public bool SkipDeclaration { get; init; }

    /// <summary>The type that an exchange is declared with.</summary>
    public RabbitMqExchangeType ExchangeType { get; init; }

    /// <summary>The type that a queue is declared with.</summary>
    public RabbitMqQueueType QueueType { get; init; }

    /// <summary>Where queues put what consumers reject and what expires; declared as a fanout exchange with a queue of its name
    /// when it is not there. Null: none.</summary>
    public string? DeadLetterExchange { get; init; }

    /// <summary>Messages in a queue; null: no limit.</summary>
    public long? MaxLength { get; init; }

    /// <summary>Bytes of messages in a queue; null: no limit.</summary>
    public long? MaxLengthBytes { get; init; }

    /// <summary>Heard only with a limit.</summary>
    public RabbitMqOverflow Overflow { get; init; }

    /// <summary>Of a task's configuration: <c>SkipAutomaticQueueDeclaration</c>, <c>CloudEventsMode</c> and the object <c>RabbitMq</c>.
    /// Throws <see cref="InvalidConfigurationException"/>.</summary>
    internal static RabbitMqOptions Parse(JsonMembers task)
    {
        var options = new RabbitMqOptions
        {
            SkipDeclaration = task.Flag("SkipAutomaticQueueDeclaration"),
            CloudEventsMode = task.Enum("CloudEventsMode", CloudEventsMode.Binary),
        };
        if (task.Optional("RabbitMq") is not { } members)
            return options;
        string? unknown = members
            .Object.Select(member => member.Key)
            .FirstOrDefault(name => !s_members.Contains(name, StringComparer.OrdinalIgnoreCase));
        if (unknown is not null)
            throw new InvalidConfigurationException(
                $"The task's 'RabbitMq' has an unknown member '{unknown}'; there are {string.Join(", ", s_members)}."
            );
        string? deadLetters = members.Text(nameof(DeadLetterExchange));
        if (deadLetters is not null && RabbitMqNames.RefusalOfExchange(deadLetters) is { } refusal)
            throw new InvalidConfigurationException($"The task's DeadLetterExchange: {refusal}");
        return options with
        {
            ExchangeType = members.Enum(nameof(ExchangeType), RabbitMqExchangeType.Fanout),
            QueueType = members.Enum(nameof(QueueType), RabbitMqQueueType.Default),
            DeadLetterExchange = string.IsNullOrEmpty(deadLetters) ? null : deadLetters,
            MaxLength = Limit(members, nameof(MaxLength)),
            MaxLengthBytes = Limit(members, nameof(MaxLengthBytes)),
            Overflow = members.Enum(nameof(Overflow), RabbitMqOverflow.RejectPublish),
        };
    }

    private static long? Limit(JsonMembers members, string name)
    {
        double value = members.Number(name, 0);
        if (value < 0 || value > long.MaxValue / 2 || value != Math.Floor(value))
            throw new InvalidConfigurationException($"The task's '{name}' must be a whole number above zero, or absent for no limit.");
        return value == 0 ? null : (long)value;
    }
}
