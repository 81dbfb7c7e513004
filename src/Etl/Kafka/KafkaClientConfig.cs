using System.Globalization;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.HttpTargets;

namespace Jackdaw.Etl.Kafka;

/// <summary>What the native client is told: a person's options, and over them those that the promises depend on.</summary>
/// <param name="settings">A person's.</param>
/// <param name="serverCertificate">The server's own.</param>
/// <param name="times">How long things may take.</param>
/// <param name="targets">Where a token endpoint may be; null: not where a cloud hands out credentials.</param>
internal sealed class KafkaClientConfig(
    KafkaSettings settings,
    Func<X509Certificate2?>? serverCertificate,
    KafkaTimes times,
    TargetAddresses? targets = null
)
{
    /// <summary>Where a token endpoint may be.</summary>
    public TargetAddresses Targets { get; } = targets ?? new TargetAddresses(RefusesPrivate: false);

    public KafkaTimes Times => times;

    public KafkaSettings Settings => settings;

    /// <summary>Null: a producer without transactions.</summary>
    public Dictionary<string, string> Producer(string? transactionalId)
    {
        var config = Common();
        config["enable.idempotence"] = "true";
        config["acks"] = "all";
        config["partitioner"] = "murmur2_random";
        config["message.timeout.ms"] = Milliseconds(times.Batch);
        config["request.timeout.ms"] = Milliseconds(times.Batch);
        config["queue.buffering.max.messages"] = "1000000";
        config["dotnet.producer.delivery.report.fields"] = "none";
        // A topic that was deleted meanwhile is recognised within the time of a batch.
        config["topic.metadata.propagation.max.ms"] = Milliseconds(times.Batch / 2);
        if (transactionalId is not null)
        {
            config["transactional.id"] = transactionalId;
            config["transaction.timeout.ms"] = Milliseconds(times.Transaction);
        }
        return config;
    }

    /// <summary>Reads one partition to its end, committed messages only, and belongs to no group.</summary>
    public Dictionary<string, string> Reader(string name)
    {
        var config = Common();
        // Options of producers would be warned about.
        foreach (
            string option in new[]
            {
                "linger.ms",
                "queue.buffering.max.ms",
                "batch.size",
                "batch.num.messages",
                "compression.type",
                "compression.codec",
                "compression.level",
                "sticky.partitioning.linger.ms",
            }
        )
            config.Remove(option);
        config["group.id"] = name;
        config["isolation.level"] = "read_committed";
        config["enable.auto.commit"] = "false";
        config["enable.auto.offset.store"] = "false";
        config["enable.partition.eof"] = "true";
        config["auto.offset.reset"] = "earliest";
        // The end of the partition is told when a fetch comes back empty: soon.
        config["fetch.wait.max.ms"] = "10";
        return config;
    }

    private Dictionary<string, string> Common()
    {
        var config = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase)
        {
            ["client.id"] = "jackdaw",
            ["reconnect.backoff.max.ms"] = "1000",
        };
        // The native client's names are in small letters; clients of the protocol that make property names of them begin them
        // with a capital.
        foreach (var (name, value) in settings.Options)
            config[name.Trim().ToLowerInvariant()] = value;
        if (settings.Oidc is not null)
            foreach (string name in OidcSettings.Names)
                config.Remove(name);
        config["bootstrap.servers"] = settings.BootstrapServers;
        config["socket.timeout.ms"] = Milliseconds(times.Batch);
        config["socket.connection.setup.timeout.ms"] = Milliseconds(times.Batch);
        if (settings.UseServerCertificate)
            AddCertificate(config);
        return config;
    }

    private void AddCertificate(Dictionary<string, string> config)
    {
        // As it is now: it may have been renewed since the task began.
        if (serverCertificate?.Invoke() is not { } certificate)
            throw new InvalidConfigurationException(
                "Kafka's UseRavenCertificate asks for the server's certificate, and none is configured."
            );
        try
        {
            using var key = certificate.GetRSAPrivateKey() as AsymmetricAlgorithm ?? certificate.GetECDsaPrivateKey();
            config["ssl.certificate.pem"] = certificate.ExportCertificatePem();
            config["ssl.key.pem"] =
                key?.ExportPkcs8PrivateKeyPem()
                ?? throw new InvalidConfigurationException("The server's certificate has no private key to be shown to Kafka.");
        }
        catch (CryptographicException e)
        {
            throw new InvalidConfigurationException(
                $"The server's certificate cannot be used for Kafka: its key cannot be exported ({e.Message})."
            );
        }
    }

    private static string Milliseconds(TimeSpan time) => ((long)time.TotalMilliseconds).ToString(CultureInfo.InvariantCulture);
}
