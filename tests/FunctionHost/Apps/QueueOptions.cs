namespace Jackdaw.FunctionHost.Apps;

/// <summary>The section <c>extensions.queues</c> of host.json.</summary>
internal sealed record QueueOptions
{
    private const int MostAtOnce = 32;

    /// <summary>Messages of one request, and at least so many at once.</summary>
    public int BatchSize { get; private init; }

    /// <summary>Further messages are fetched when no more than so many are under way.</summary>
    public int NewBatchThreshold { get; private init; }

    /// <summary>A message that has been taken so often and failed again goes to the poison queue.</summary>
    public int MaxDequeueCount { get; private init; }

    /// <summary>How long a message that failed stays out of sight.</summary>
    public TimeSpan VisibilityTimeout { get; private init; }

    /// <summary>The longest pause between looks at an empty queue.</summary>
    public TimeSpan MaxPollingInterval { get; private init; }

    /// <summary>Messages are Base64.</summary>
    public bool IsBase64 { get; private init; }

    public static QueueOptions Read(JsonFile section)
    {
        var batchSize = section.Number("batchSize", 16, 1, MostAtOnce);
        var encoding = section.Text("messageEncoding") ?? "base64";
        return new QueueOptions
        {
            BatchSize = batchSize,
            NewBatchThreshold = section.Number("newBatchThreshold", batchSize / 2, 0, 1000),
            MaxDequeueCount = section.Number("maxDequeueCount", 5, 1, int.MaxValue),
            VisibilityTimeout = section.Time("visibilityTimeout", TimeSpan.Zero),
            MaxPollingInterval = section.Time("maxPollingInterval", TimeSpan.FromMinutes(1)),
            IsBase64 = encoding.ToUpperInvariant() switch
            {
                "BASE64" => true,
                "NONE" => false,
                _ => throw new AppException($"{section.PlaceOf("messageEncoding")} is '{encoding}' and must be 'base64' or 'none'."),
            },
        };
    }
}
