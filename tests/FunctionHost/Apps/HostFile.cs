using System.Globalization;

namespace Jackdaw.FunctionHost.Apps;

/// <summary>host.json, with what app settings replace in it. Documentation: "host.json reference for Azure Functions 2.x and
/// later".</summary>
internal sealed record HostFile
{
    /// <summary>The handler's program: a path below the app's folder, or a name on the PATH.</summary>
    public required string Executable { get; init; }

    public required IReadOnlyList<string> Arguments { get; init; }

    /// <summary>Below the app's folder.</summary>
    public required string WorkingDirectory { get; init; }

    /// <summary>How long an invocation may take; null: without end.</summary>
    public required TimeSpan? FunctionTimeout { get; init; }

    public required QueueOptions Queues { get; init; }

    /// <summary>Messages of RabbitMQ that are under way at once.</summary>
    public required ushort PrefetchCount { get; init; }

    /// <summary>Messages of Kafka of one invocation.</summary>
    public required int KafkaBatchSize { get; init; }

    /// <summary>How long a batch of Kafka is filled.</summary>
    public required TimeSpan KafkaInterval { get; init; }

    /// <summary>How long a consumer of Kafka that says nothing stays in its group.</summary>
    public required int KafkaSessionMs { get; init; }

    /// <summary>How long a consumer of Kafka may handle one batch before it loses its partitions.</summary>
    public required int KafkaMaxPollMs { get; init; }

    public static HostFile Read(string folder, AppSettings settings)
    {
        var file = JsonFile.Read(Path.Combine(folder, "host.json"), settings.FindHostValue);
        if (file.RequiredText("version") is not "2.0" and var version)
            throw new AppException($"{file.PlaceOf("version")} is '{version}' and must be '2.0'.");
        var handler = file.Section("customHandler").Section("description");
        var extensions = file.Section("extensions");
        return new HostFile
        {
            Executable = handler.RequiredText("defaultExecutablePath"),
            Arguments = handler.Texts("arguments"),
            WorkingDirectory = Path.Combine(folder, handler.Text("workingDirectory") ?? ""),
            FunctionTimeout = Timeout(file),
            Queues = QueueOptions.Read(extensions.Section("queues")),
            PrefetchCount = (ushort)extensions.Section("rabbitMQ").Number("prefetchCount", 30, 1, ushort.MaxValue),
            KafkaBatchSize = extensions.Section("kafka").Number("maxBatchSize", 64, 1, 100_000),
            KafkaInterval = TimeSpan.FromSeconds(extensions.Section("kafka").Number("subscriberIntervalInSeconds", 1, 1, 60)),
            KafkaSessionMs = extensions.Section("kafka").Number("sessionTimeoutMs", 10_000, 100, 3_600_000),
            KafkaMaxPollMs = extensions.Section("kafka").Number("maxPollIntervalMs", 300_000, 100, 86_400_000),
        };
    }

    private static TimeSpan? Timeout(JsonFile file) =>
        file.Text("functionTimeout") is "-1" ? null : file.Time("functionTimeout", TimeSpan.FromMinutes(30));

    /// <summary>The command of the handler.</summary>
    public string Program(string folder)
    {
        var below = Path.Combine(folder, Executable);
        if (File.Exists(below))
            return below;
        return Executable.Contains(Path.DirectorySeparatorChar, StringComparison.Ordinal) || !IsOnThePath(Executable)
            ? throw new AppException(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"'customHandler.description.defaultExecutablePath' in {Path.Combine(folder, "host.json")} is '{Executable}', and there is neither {below} nor a program of that name on the PATH."
                )
            )
            : Executable;
    }

    internal static bool IsOnThePath(string program) =>
        (Environment.GetEnvironmentVariable("PATH") ?? "")
            .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Any(folder => File.Exists(Path.Combine(folder, program)));
}
