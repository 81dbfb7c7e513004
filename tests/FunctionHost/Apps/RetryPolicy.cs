namespace Jackdaw.FunctionHost.Apps;

/// <summary>The member <c>retry</c> of function.json: how often a failed invocation is tried again in the host before its trigger learns
/// of the failure.</summary>
/// <param name="MaxRetryCount">-1: without end.</param>
/// <param name="FirstDelay">Before the first retry.</param>
/// <param name="LongestDelay">Delays double up to this one; the same as the first: they are all alike.</param>
internal sealed record RetryPolicy(int MaxRetryCount, TimeSpan FirstDelay, TimeSpan LongestDelay)
{
    public static RetryPolicy None { get; } = new(0, TimeSpan.Zero, TimeSpan.Zero);

    public static RetryPolicy Read(JsonFile section)
    {
        if (section.Text("strategy") is not { } strategy)
            return None;
        var count = section.Number("maxRetryCount", 0, -1, int.MaxValue);
        switch (strategy.ToUpperInvariant())
        {
            case "FIXEDDELAY":
                var delay = section.Time("delayInterval", TimeSpan.Zero);
                return new RetryPolicy(count, delay, delay);
            case "EXPONENTIALBACKOFF":
                return new RetryPolicy(
                    count,
                    section.Time("minimumInterval", TimeSpan.FromSeconds(1)),
                    section.Time("maximumInterval", TimeSpan.FromMinutes(1))
                );
            default:
                throw new AppException($"{section.PlaceOf("strategy")} is '{strategy}' and must be 'fixedDelay' or 'exponentialBackoff'.");
        }
    }

    public bool Allows(int retries) => MaxRetryCount < 0 || retries < MaxRetryCount;

    /// <summary>The pause before a retry; the first one is number 0.</summary>
    public TimeSpan DelayOf(int retry)
    {
        var delay = FirstDelay;
        for (var i = 0; i < retry && delay < LongestDelay; i++)
            delay *= 2;
        return delay < LongestDelay ? delay : LongestDelay;
    }
}
