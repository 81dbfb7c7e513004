namespace Jackdaw.Brokers;

/// <summary>Which brokers this machine has. <c>eng/install-brokers</c> installs what can be installed.</summary>
public static class BrokerAvailability
{
    /// <summary>Whether a missing broker is a failure (REQUIRE_BROKERS=1).</summary>
    public static bool AreRequired => Environment.GetEnvironmentVariable("REQUIRE_BROKERS") == "1";

    /// <summary>Null when a broker of this kind can be started here, else a sentence that says what is missing.</summary>
    public static string? WhyNot(BrokerKind kind) =>
        kind switch
        {
            BrokerKind.Azurite => WhyNoAzurite(),
            BrokerKind.RabbitMq => WhyNoRabbit(),
            BrokerKind.Kafka => WhyNoKafka(),
            _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, null),
        };

    internal static string? ReasonToSkip(BrokerKind[] kinds) =>
        AreRequired ? null : kinds.Select(WhyNot).FirstOrDefault(reason => reason is not null);

    /// <exception cref="BrokerFailedException">A broker of this kind cannot be had here.</exception>
    internal static void Require(BrokerKind kind)
    {
        if (WhyNot(kind) is { } reason)
            throw new BrokerFailedException(reason);
    }

    private static string? WhyNoAzurite()
    {
        if (Find("node") is null)
            return "Azurite needs Node, and there is no program 'node' here.";
        return File.Exists(AzuriteBroker.Program) ? null : "Azurite is not installed: run eng/install-brokers azurite.";
    }

    private static string? WhyNoRabbit()
    {
        if (!File.Exists(RabbitBroker.Program))
            return $"RabbitMQ is not installed: {RabbitBroker.Program} is not there "
                + "(apt-get install rabbitmq-server, or eng/install-brokers rabbitmq).";
        return Find("epmd") is null ? "RabbitMQ needs Erlang's 'epmd', and there is no such program here." : null;
    }

    private static string? WhyNoKafka()
    {
        if (KafkaBroker.Jars is null)
            return "There is no Kafka here: set KAFKA_HOME to a folder whose lib or libs has the jars of Kafka 4.";
        return Find("java") is null ? "Kafka needs Java 17, and there is no program 'java' here (eng/install-brokers kafka)." : null;
    }

    private static string? Find(string program) =>
        (Environment.GetEnvironmentVariable("PATH") ?? "")
            .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Select(folder => Path.Combine(folder, program))
            .FirstOrDefault(File.Exists);
}
