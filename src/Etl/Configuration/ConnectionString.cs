using System.Text;
using System.Text.Json.Nodes;

namespace Jackdaw.Etl.Configuration;

/// <summary>Where a task connects to, under a name, as a client gave it. Immutable.</summary>
public sealed class ConnectionString
{
    private const int MaxBytes = 64 << 10;

    private readonly byte[] _json;

    private ConnectionString(string name, string type, byte[] json)
    {
        Name = name;
        Type = type;
        _json = json;
    }

    /// <summary>Unique among a database's connection strings of one type, whatever its casing.</summary>
    public string Name { get; }

    /// <summary>Always <c>Queue</c> so far.</summary>
    public string Type { get; }

    /// <summary>What it is for, as a word of this server's own routes: <c>Webhook</c> for the protocol's None.</summary>
    public string Sink => SinkName.Of(BrokerType);

    /// <summary>The whole object with its secrets, in UTF-8: to be stored, never to be shown.</summary>
    internal ReadOnlyMemory<byte> StoredJson => _json;

    /// <summary>
    /// Throws <see cref="InvalidConfigurationException"/> for what is no connection string at all. One that leads nowhere is one:
    /// <see cref="TaskSinks.Flaw"/> tells why it does.
    /// </summary>
    /// <param name="json">One JSON object with <c>Name</c>, <c>Type</c> and, for a queue, <c>BrokerType</c>; secrets may be
    /// <c>${env:NAME}</c> and <c>${file:PATH}</c>.</param>
    /// <param name="former">The one of that name, whose secrets are kept where the new one has the mask in their place; null when
    /// there is none.</param>
    public static ConnectionString Parse(ReadOnlySpan<byte> json, Func<string, ConnectionString?> former)
    {
        ArgumentNullException.ThrowIfNull(former);
        if (json.Length > MaxBytes)
            throw new InvalidConfigurationException(
                $"The connection string has {json.Length:N0} bytes, over the limit of {MaxBytes:N0} (fixed)."
            );
        var members = JsonMembers.Parse(json, "The connection string");
        SinkName.Translate(members, "Type");
        string type = members.Text("Type") ?? "";
        if (type.Length == 0)
            throw new InvalidConfigurationException("The connection string must have a 'Type'; there is 'Queue'.");
        if (type != "Queue")
            throw new UnsupportedKindException($"Connection strings of type '{type}' are not supported yet; there is 'Queue'.");
        KnownMembers.RequireInConnection(members);
        string name = members.RequiredText("Name");
        members.Enum("BrokerType", BrokerType.None);
        if (former(name) is { } known)
            Secrets.Keep(members.Object, known.Object());
        return new ConnectionString(name, type, Encoding.UTF8.GetBytes(members.Object.ToJsonString()));
    }

    /// <summary>One that was stored.</summary>
    internal static ConnectionString Stored(byte[] json)
    {
        var members = JsonMembers.Parse(json, "A stored connection string");
        return new ConnectionString(members.RequiredText("Name"), members.RequiredText("Type"), json);
    }

    /// <summary>Throws <see cref="BorrowingException"/> where it uses what is the server's.</summary>
    internal void RequireNothingBorrowed()
    {
        if (Borrowing.Of(Object()) is { } what)
            throw new BorrowingException(what);
    }

    /// <summary>The object without its secrets.</summary>
    public JsonObject Masked()
    {
        var shown = Object();
        Secrets.Mask(shown);
        return shown;
    }

    internal BrokerType BrokerType => new JsonMembers(Object(), $"The connection string '{Name}'").Enum("BrokerType", BrokerType.None);

    /// <summary>Valid settings, secrets in place. Throws <see cref="InvalidConfigurationException"/>.</summary>
    /// <param name="machine">Which files and variables of the machine it may use.</param>
    internal Webhook.WebhookSettings Webhook(IMachineSecrets machine)
    {
        var members = new JsonMembers(Object(), $"The connection string '{Name}'").Required("WebhookConnectionSettings");
        var settings = new Webhook.WebhookSettings
        {
            Url = Secrets.Expand(members.RequiredText("Url"), machine),
            Secret = members.Text("Secret") is { Length: > 0 } secret ? Secrets.Expand(secret, machine) : null,
            Timeout = members.Seconds("TimeoutInSec", 15),
            MaxConcurrency = (int)members.Number("MaxConcurrency", 16),
        };
        settings.Validate();
        return settings;
    }

    /// <summary>Likewise.</summary>
    internal Kafka.KafkaSettings Kafka(IMachineSecrets machine) =>
        Etl.Kafka.KafkaSettings.Read(
            new JsonMembers(Object(), $"The connection string '{Name}'").Required("KafkaConnectionSettings"),
            machine
        );

    /// <summary>Likewise.</summary>
    internal RabbitMq.RabbitMqSettings RabbitMq(IMachineSecrets machine)
    {
        var settings = Etl.RabbitMq.RabbitMqSettings.Read(
            new JsonMembers(Object(), $"The connection string '{Name}'").Required("RabbitMqConnectionSettings"),
            machine
        );
        settings.Validate();
        return settings;
    }

    /// <summary>Likewise.</summary>
    internal AzureQueues.AzureQueueSettings AzureQueues(IMachineSecrets machine) =>
        Etl.AzureQueues.AzureQueueSettings.Read(
            new JsonMembers(Object(), $"The connection string '{Name}'").Required("AzureQueueStorageConnectionSettings"),
            machine
        );

    private JsonObject Object() => JsonMembers.Parse(_json, $"The connection string '{Name}'").Object;
}
