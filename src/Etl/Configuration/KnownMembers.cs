namespace Jackdaw.Etl.Configuration;

/// <summary>
/// The members that the objects of a configuration have. Another one is refused by its name: a misspelt member would not do what
/// it was written for. What the protocol knows and this server has no use for is accepted.
/// </summary>
internal static class KnownMembers
{
    private static readonly string[] s_task =
    [
        "TaskId",
        "Name",
        "MentorNode",
        "PinToMentorNode",
        "ConnectionStringName",
        "Disabled",
        "AllowEtlOnNonEncryptedChannel",
        "Transforms",
        "EtlType",
        "BrokerType",
        "Queues",
        "SkipAutomaticQueueDeclaration",
        SinkName.Member,
        RateLimit.DocumentsMember,
        RateLimit.MessagesMember,
        "MaxFailedShare",
        "FailureWindow",
        "RabbitMq",
        "Delivery",
        "CloudEventsMode",
        "DeletesAsTombstones",
    ];

    private static readonly string[] s_transform =
    [
        "Name",
        "Disabled",
        "Collections",
        "ApplyToAllDocuments",
        "Script",
        "DocumentIdPostfix",
        "PublishDeletes",
        "StartFrom",
    ];

    private static readonly string[] s_queue = ["Name", "DeleteProcessedDocuments"];

    private static readonly string[] s_connection =
    [
        "Type",
        "Name",
        SinkName.Member,
        "BrokerType",
        "KafkaConnectionSettings",
        "RabbitMqConnectionSettings",
        "AzureQueueStorageConnectionSettings",
        "AmazonSqsConnectionSettings",
        "AzureServiceBusConnectionSettings",
        "WebhookConnectionSettings",
    ];

    /// <summary>The objects of a connection string by their places in it; those of brokers without a sink are not looked into.</summary>
    private static readonly (string[] Path, string[] Members)[] s_settings =
    [
        (["WebhookConnectionSettings"], ["Url", "Secret", "TimeoutInSec", "MaxConcurrency"]),
        (["KafkaConnectionSettings"], ["BootstrapServers", "ConnectionOptions", "UseRavenCertificate", "ManagedIdentity"]),
        (["KafkaConnectionSettings", "ManagedIdentity"], ["Resource", "ClientId", "Endpoint"]),
        (
            ["RabbitMqConnectionSettings"],
            [
                "ConnectionString",
                "TimeoutInSec",
                "CertificateAuthorityFile",
                "ClientCertificateFile",
                "ClientCertificateKeyFile",
                "ClientCertificatePassword",
                "AuthMechanism",
            ]
        ),
        (
            ["AzureQueueStorageConnectionSettings"],
            [
                "ConnectionString",
                "EntraId",
                "Passwordless",
                "EndpointSuffix",
                "ClaimCheckContainer",
                "TimeToLiveInSec",
                "VisibilityTimeoutInSec",
                "TimeoutInSec",
                "MaxConcurrency",
            ]
        ),
        (
            ["AzureQueueStorageConnectionSettings", "EntraId"],
            ["StorageAccountName", "TenantId", "ClientId", "ClientSecret", "AuthorityHost"]
        ),
        (["AzureQueueStorageConnectionSettings", "Passwordless"], ["StorageAccountName", "ClientId"]),
    ];

    /// <summary>Throws <see cref="InvalidConfigurationException"/> for a task with an unknown member, at any depth.</summary>
    public static void RequireInTask(ReadOnlySpan<byte> json)
    {
        var task = JsonMembers.Parse(json, "The task");
        task.RequireKnown(s_task);
        foreach (var transform in task.List("Transforms"))
            RequireInTransform(transform);
        foreach (var queue in task.List("Queues"))
            queue.RequireKnown(s_queue);
    }

    /// <summary>Likewise for a transform.</summary>
    /// <param name="transform">The transform.</param>
    /// <param name="others">Members that stand beside the transform's own.</param>
    public static void RequireInTransform(JsonMembers transform, params IEnumerable<string> others) =>
        transform.RequireKnown([.. s_transform, .. others]);

    /// <summary>Likewise for a connection string.</summary>
    public static void RequireInConnection(JsonMembers connection)
    {
        connection.RequireKnown(s_connection);
        foreach (var (path, known) in s_settings)
        {
            JsonMembers? inner = connection;
            foreach (string name in path)
                inner = inner?.ObjectOrNull(name);
            inner?.RequireKnown(known);
        }
    }
}
