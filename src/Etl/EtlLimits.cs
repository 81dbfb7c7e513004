namespace Jackdaw.Etl;

/// <summary>Every limit of tasks in one place.</summary>
public sealed record EtlLimits
{
    /// <summary>Bytes of a file whose text a connection string takes (<c>${file:PATH}</c>).</summary>
    public const int MaxSecretFileBytes = 64 << 10;

    /// <summary>The limits as shipped.</summary>
    public static EtlLimits Default { get; } = new();

    /// <summary>Bytes of messages after which a batch ends.</summary>
    public long MaxBatchBytes { get; init; } = 4 << 20;

    /// <summary>Messages after which a batch ends (those of its last document are all in it).</summary>
    public int MaxBatchMessages { get; init; } = 1024;

    /// <summary>Changes read after which a batch ends.</summary>
    public int MaxBatchDocuments { get; init; } = 1024;

    /// <summary>Documents that may share a call of the script engine; each has its own limits all the same.</summary>
    public int MaxDocumentsPerCall { get; init; } = 64;

    /// <summary>Time of reading and scripts after which a batch ends: for so long its read transaction is open.</summary>
    public TimeSpan MaxBatchTime { get; init; } = TimeSpan.FromMilliseconds(250);

    /// <summary>Processor time of a script for one document.</summary>
    public TimeSpan ScriptTime { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>Pause after the first fault of a sink; doubled with each further one.</summary>
    public TimeSpan FirstPause { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest pause after a fault of a sink.</summary>
    public TimeSpan LongestPause { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>The longest pause that a sink may ask for (<c>Retry-After</c>); it is tried again after this time all the same. Setting
    /// <c>ETL.MaxRetryAfterInSec</c>.</summary>
    public TimeSpan LongestAskedPause { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>
    /// How long a task must have run without the process ending before it retries, once and by itself, a dead letter that was
    /// written because the process had ended while its script ran.
    /// </summary>
    public TimeSpan CalmTime { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>Least time between two stores of a position while nothing passes the script.</summary>
    public TimeSpan IdlePositionInterval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Likewise while its sink rests: storing one opens the sink.</summary>
    public TimeSpan RestingPositionInterval { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>After this time without anything to send, a sink whose open connection costs threads is closed until there is.</summary>
    public TimeSpan IdleSinkTime { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>Trials of scripts that the server runs at once, each on a thread of its own.</summary>
    public int MaxTrialsAtOnce { get; init; } = 2;

    /// <summary>How long a task that is closed may still wait for the answers to what it has sent.</summary>
    public TimeSpan CloseGrace { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Calls of <c>loadTo</c> for one document. Fixed.</summary>
    public const int MaxMessagesPerDocument = 1000;

    /// <summary>Bytes of messages of one document. Fixed.</summary>
    public const long MaxMessageBytesPerDocument = 64 << 20;

    /// <summary>Distinct targets of a task. Fixed.</summary>
    public const int MaxTargetsPerTask = 1000;

    /// <summary>Bytes of a target's or a transform's name, a routing key, or an attribute in UTF-8. Fixed.</summary>
    public const int MaxNameBytes = 512;

    /// <summary>Bytes of data that a dead letter keeps; larger data is not kept. Fixed.</summary>
    public const int MaxDeadLetterPayloadBytes = 64 << 10;
}
