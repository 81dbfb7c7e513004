namespace Jackdaw.FunctionHost;

/// <summary>Every limit of the stand-in in one place.</summary>
internal static class HostLimits
{
    /// <summary>How often a message may fail at RabbitMQ's trigger; then it is rejected.</summary>
    public const int RabbitFailures = 5;

    /// <summary>Characters of a message to a storage queue, as Azure counts them.</summary>
    public const int MaxQueueMessageLength = 64 * 1024;

    /// <summary>The first pause between looks at an empty queue.</summary>
    public static readonly TimeSpan FirstPollingInterval = TimeSpan.FromMilliseconds(100);

    /// <summary>How long a handler may take to answer for the first time.</summary>
    public static readonly TimeSpan HandlerStart = TimeSpan.FromSeconds(60);

    /// <summary>The pause before a handler that has died is started again, at first and at most.</summary>
    public static readonly TimeSpan FirstRestartPause = TimeSpan.FromMilliseconds(100);

    /// <summary>See <see cref="FirstRestartPause"/>.</summary>
    public static readonly TimeSpan LongestRestartPause = TimeSpan.FromSeconds(5);

    /// <summary>The pause before a broker that went away is asked again.</summary>
    public static readonly TimeSpan ReconnectPause = TimeSpan.FromSeconds(1);

    /// <summary>How long running invocations may go on when the host is stopped, before the handler is asked to end.</summary>
    public static readonly TimeSpan DrainTimeout = TimeSpan.FromSeconds(3);

    /// <summary>How long the handler may take to end.</summary>
    public static readonly TimeSpan HandlerStop = TimeSpan.FromSeconds(5);
}
