using System.Diagnostics;
using System.Net.Sockets;

namespace Jackdaw.Brokers;

/// <summary>
/// Kafka 4, one node that is its own controller, from <c>KAFKA_HOME</c> or else <c>../shared/kafka</c> beside the checkout. Ready
/// in about four seconds; takes some
/// 320 MB of memory.
/// </summary>
public sealed class KafkaBroker : Broker
{
    private readonly KafkaBrokerOptions _options;
    private readonly int _controllerPort = LoopbackPort.Find();

    private KafkaBroker(KafkaBrokerOptions options)
        : base(BrokerKind.Kafka)
    {
        _options = options;
        ProxiedPort = options.AdvertisedPort is null ? null : LoopbackPort.Find();
    }

    /// <summary>For clients that talk to it directly.</summary>
    public int Port { get; } = LoopbackPort.Find();

    /// <summary>Where a proxy has to connect whose port is <see cref="KafkaBrokerOptions.AdvertisedPort"/>; null without that.</summary>
    public int? ProxiedPort { get; }

    /// <summary>For clients that talk to it directly.</summary>
    public string BootstrapServers => $"127.0.0.1:{Port}";

    /// <summary>What goes to Java as class path; null when there is no Kafka here.</summary>
    internal static string? Jars { get; } = FindJars();

    /// <summary>Starts one and waits until it tells clients of itself.</summary>
    /// <exception cref="BrokerFailedException">It is not installed or did not start.</exception>
    public static Task<KafkaBroker> StartAsync(KafkaBrokerOptions? options = null)
    {
        var broker = new KafkaBroker(options ?? new KafkaBrokerOptions());
        return StartedAsync(broker, broker.FormatAsync);
    }

    private protected override BrokerCommand Command() =>
        new("java", [.. Startup(), "-Xmx512m", "-cp", Jars!, "kafka.Kafka", PropertiesFile], new Dictionary<string, string>());

    /// <summary>Whether it answers a request for the cluster's brokers with itself: before that it refuses to create topics.</summary>
    private protected override async Task<bool> IsReadyAsync()
    {
        // Metadata, version 1, of no topics: key, version, correlation (7), no client's name, no topics.
        byte[] request = [0, 0, 0, 14, 0, 3, 0, 1, 0, 0, 0, 7, 0xff, 0xff, 0, 0, 0, 0];
        try
        {
            using var client = new TcpClient();
            await client.ConnectAsync("127.0.0.1", Port);
            var stream = client.GetStream();
            await stream.WriteAsync(request);
            // Length, correlation, count of brokers.
            var answer = new byte[12];
            await stream.ReadExactlyAsync(answer);
            return System.Buffers.Binary.BinaryPrimitives.ReadInt32BigEndian(answer.AsSpan(8)) > 0;
        }
        catch (Exception e) when (e is SocketException or IOException)
        {
            return false;
        }
    }

    private string PropertiesFile => Path.Combine(Folder, "server.properties");

    private string[] Startup() => _options.ForMeasuring ? [] : ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

    private async Task FormatAsync()
    {
        await File.WriteAllLinesAsync(PropertiesFile, Properties().Select(property => $"{property.Key}={property.Value}"));
        var cluster = Convert.ToBase64String(Guid.NewGuid().ToByteArray())[..22].Replace('+', 'a').Replace('/', 'b');
        var start = new ProcessStartInfo(
            "java",
            [
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                Jars!,
                "kafka.tools.StorageTool",
                "format",
                "-t",
                cluster,
                "-c",
                PropertiesFile,
            ]
        )
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using var format = Process.Start(start)!;
        var output = format.StandardOutput.ReadToEndAsync();
        var errors = await format.StandardError.ReadToEndAsync();
        await format.WaitForExitAsync();
        if (format.ExitCode != 0)
            throw new BrokerFailedException(
                $"Formatting Kafka's folder ended with code {format.ExitCode}. It said:\n{await output}\n{errors}"
            );
    }

    private Dictionary<string, string> Properties()
    {
        var proxied = ProxiedPort is null ? "" : $",PROXIED://127.0.0.1:{ProxiedPort}";
        var sasled = _options.SaslPort is null ? "" : $",SASLED://127.0.0.1:{_options.SaslPort}";
        var advertised = _options.AdvertisedPort is null ? "" : $",PROXIED://127.0.0.1:{_options.AdvertisedPort}";
        var properties = new Dictionary<string, string>
        {
            ["process.roles"] = "broker,controller",
            ["node.id"] = "1",
            ["controller.quorum.voters"] = $"1@127.0.0.1:{_controllerPort}",
            ["listeners"] = $"PLAINTEXT://127.0.0.1:{Port},CONTROLLER://127.0.0.1:{_controllerPort}{proxied}{sasled}",
            ["advertised.listeners"] = $"PLAINTEXT://127.0.0.1:{Port}{advertised}{sasled}",
            ["controller.listener.names"] = "CONTROLLER",
            ["inter.broker.listener.name"] = "PLAINTEXT",
            ["listener.security.protocol.map"] = "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXIED:PLAINTEXT,SASLED:SASL_PLAINTEXT",
            ["log.dirs"] = Path.Combine(Folder, "log"),
            ["offsets.topic.replication.factor"] = "1",
            ["offsets.topic.num.partitions"] = "1",
            ["transaction.state.log.replication.factor"] = "1",
            ["transaction.state.log.min.isr"] = "1",
            ["transaction.state.log.num.partitions"] = "1",
            ["group.initial.rebalance.delay.ms"] = "0",
            // A broker that was killed may register again only when the session of its predecessor has ended.
            ["broker.session.timeout.ms"] = "4000",
            ["broker.heartbeat.interval.ms"] = "500",
        };
        foreach (var (name, value) in _options.Properties)
            properties[name] = value;
        return properties;
    }

    private static string? FindJars()
    {
        var given = Environment.GetEnvironmentVariable("KAFKA_HOME");
        var home = string.IsNullOrEmpty(given) ? Path.GetFullPath(Path.Combine(Checkout.Root, "..", "shared", "kafka")) : given;
        // As it is distributed, or the jars alone.
        return new[] { "libs", "lib" }
            .Select(name => Path.Combine(home, name))
            .Where(folder => Directory.Exists(folder) && Directory.EnumerateFiles(folder, "kafka_*.jar").Any())
            .Select(folder => Path.Combine(folder, "*"))
            .FirstOrDefault();
    }
}
