namespace Jackdaw.Server.Hosting.Queues;

/// <summary>The limits of <c>run queues</c>, most of which are Azure's.</summary>
internal static class QueueLimits
{
    /// <summary>Messages that Azure hands over at once, and shows at all without taking them.</summary>
    public const int PageSize = 32;

    /// <summary>Messages that are sent again at once.</summary>
    public const int AtOnce = 8;

    /// <summary>Messages that are left where they are before the command gives up: they stay hidden until it ends.</summary>
    public const int MaxLeft = 1000;

    /// <summary>Bytes of a message, which is sent in Base64.</summary>
    public const int MaxMessageBytes = (64 << 10) / 4 * 3;

    /// <summary>Bytes of a large dead letter in a blob.</summary>
    public const long MaxBlobBytes = 512L << 20;

    /// <summary>How long a message is hidden while it is sent again. Should the command die, it is to be seen again then.</summary>
    public static readonly TimeSpan Hidden = TimeSpan.FromMinutes(5);

    /// <summary>Between two lines of progress.</summary>
    public static readonly TimeSpan ProgressPause = TimeSpan.FromSeconds(5);

    /// <summary>A message of a task never expires; nor does one that is sent again.</summary>
    public static readonly TimeSpan NeverExpires = TimeSpan.FromSeconds(-1);
}
