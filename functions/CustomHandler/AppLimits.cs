namespace Jackdaw.Functions.CustomHandler;

/// <summary>Every limit of the function app in one place.</summary>
internal static class AppLimits
{
    /// <summary>Bytes of one invocation's body: a batch of 128 messages of a megabyte in Base64 has 180 MB. There is no limit of messages:
    /// the host would send a batch that is refused again and again, and nothing behind it.</summary>
    public const long MaxInvocationBytes = 256L << 20;

    /// <summary>Messages of one invocation that are handled by themselves at once; their reads and batches share requests.</summary>
    public const int MaxMessagesAtOnce = 64;

    /// <summary>Connections from the host; it has one for each invocation that runs.</summary>
    public const int MaxConnections = 1024;

    /// <summary>Connections to the server.</summary>
    public const int MaxServerConnections = 64;

    /// <summary>Bytes of a claim check: twice the server's default limit of a document.</summary>
    public const int MaxClaimCheckBytes = 128 << 20;

    /// <summary>Claim checks that are in memory at once.</summary>
    public const int MaxClaimChecksAtOnce = 4;

    /// <summary>Bytes of a dead letter in a queue: 64 KiB of Base64 text, of which the host makes the message.</summary>
    public const int MaxDeadLetterBytes = (64 << 10) / 4 * 3;

    /// <summary>Characters of a dead letter's reason; the log has all of it.</summary>
    public const int MaxReasonLength = 2000;

    /// <summary>How long connecting to the server may take.</summary>
    public static readonly TimeSpan ConnectTimeout = TimeSpan.FromSeconds(10);

    /// <summary>How long one request to a storage account may take, without the time for its data.</summary>
    public static readonly TimeSpan StorageTimeout = TimeSpan.FromSeconds(30);

    /// <summary>How long an invocation waits for servers before it fails. It is less than host.json's <c>functionTimeout</c> of 30
    /// minutes, after which the host would end this process, and less than the 30 minutes for which RabbitMQ waits for an
    /// acknowledgement.</summary>
    public static readonly TimeSpan LongestInvocation = TimeSpan.FromMinutes(25);

    /// <summary>How long a handler may take to end once it has been cancelled. Then the process ends, and the host starts
    /// another.</summary>
    public static readonly TimeSpan CancelGrace = TimeSpan.FromSeconds(30);

    /// <summary>How long running invocations may go on when the host stops; those that wait for a server end at once.</summary>
    public static readonly TimeSpan StopGrace = TimeSpan.FromSeconds(5);

    /// <summary>When the process ends after a stop was asked for, whatever still runs.</summary>
    public static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(8);
}
