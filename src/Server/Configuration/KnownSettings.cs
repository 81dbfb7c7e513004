namespace Jackdaw.Server.Configuration;

/// <summary>Every setting this server obeys, in the order <c>--help</c> shows them; and those of other servers of the protocol
/// that it accepts.</summary>
internal static class KnownSettings
{
    public const string ServerUrl = "ServerUrl";
    public const string PublicServerUrl = "PublicServerUrl";
    public const string ServerUrlTcp = "ServerUrl.Tcp";
    public const string DataDir = "DataDir";
    public const string RunInMemory = "RunInMemory";
    public const string ParentProcessId = "Testing.ParentProcessId";
    public const string Failpoint = "Testing.Failpoint";
    public const string EmbeddedParentProcessId = "Embedded.ParentProcessId";
    public const string CertificatePath = "Security.Certificate.Path";
    public const string CertificatePassword = "Security.Certificate.Password";
    public const string CertificateKeyPath = "Security.Certificate.KeyPath";
    public const string WellKnownAdminCertificates = "Security.WellKnownAdminCertificates";
    public const string AuditLogFolder = "Security.AuditLog.FolderPath";
    public const string CopyFolder = "Security.CopyFolder";
    public const string SecretsFolder = "ETL.SecretsFolder";
    public const string SecretVariablePrefix = "ETL.SecretVariablePrefix";
    public const string RefusePrivateAddresses = "ETL.Webhook.RefusePrivateAddresses";
    public const string UnsecuredAccessAllowed = "Security.UnsecuredAccessAllowed";
    public const string MaxRequestBodyMb = "Limits.MaxRequestBodySizeInMb";
    public const string MaxDocumentMb = "Limits.MaxDocumentSizeInMb";
    public const string StagingThresholdKb = "Limits.StagingThresholdInKb";
    public const string MaxConnections = "Limits.MaxConnections";
    public const string MaxUnknownConnections = "Limits.MaxUnknownConnections";
    public const string UnknownConnectionSeconds = "Limits.UnknownConnectionTimeoutInSec";
    public const string MaxTlsHandshakes = "Limits.MaxTlsHandshakes";
    public const string TlsHandshakeSeconds = "Limits.TlsHandshakeTimeoutInSec";
    public const string MaxConcurrentStagings = "Limits.MaxLargeRequests";
    public const string MaxStagedBodiesMb = "Limits.MaxStagedBodiesSizeInMb";
    public const string MaxBatchMb = "Limits.MaxBatchSizeInMb";
    public const string MemoryAllowanceMb = "Limits.MemoryAllowanceInMb";
    public const string MaxMergerQueueMb = "Limits.MaxMergerQueueSizeInMb";
    public const string MaxMergedTransactionMb = "Limits.MaxMergedTransactionSizeInMb";
    public const string MaxHiLoRange = "Limits.MaxHiLoRange";
    public const string MaxStagedAnswersMb = "Limits.MaxStagedAnswersSizeInMb";
    public const string MaxAutoIndexes = "Limits.MaxAutoIndexes";
    public const string MaxEventMb = "Limits.MaxEventSizeInMb";
    public const string MaxAppendMb = "Limits.MaxAppendSizeInMb";
    public const string MaxSnapshotMb = "Limits.MaxSnapshotSizeInMb";
    public const string MaxReaderAgeMs = "Limits.MaxReaderAgeInMs";
    public const string MaxPatchTimeMs = "Patching.MaxScriptTimeInMs";
    public const string QueryTimeoutSeconds = "Databases.QueryTimeoutInSec";
    public const string JournalFileMb = "Storage.JournalFileSizeInMb";
    public const string MaxScratchMb = "Storage.MaxScratchSizeInMb";
    public const string MaxTransactionMb = "Storage.MaxTransactionSizeInMb";
    public const string MaxDataFileMb = "Storage.MaxDataFileSizeInMb";
    public const string SyncIntervalSeconds = "Storage.SyncIntervalInSec";
    public const string TombstoneCleanupSeconds = "Tombstones.CleanupIntervalInSec";
    public const string MaxTombstoneAgeDays = "Tombstones.MaxAgeInDays";
    public const string AutoIndexIdleMinutes = "Indexing.TimeToWaitBeforeMarkingAutoIndexAsIdleInMin";
    public const string AutoIndexDeletionHours = "Indexing.TimeToWaitBeforeDeletingAutoIndexMarkedAsIdleInHrs";
    public const string MaxRetryAfterSeconds = "ETL.MaxRetryAfterInSec";
    public const string LogLevel = "Logs.MinLevel";

    /// <summary>Not JACKDAW_…, as variables of that name are settings.</summary>
    public const string DefaultSecretVariablePrefix = "ETL_SECRET_";

    public static readonly IReadOnlyList<Setting> All =
    [
        new(
            ServerUrl,
            "http://127.0.0.1:8080",
            "The address to listen on, or several with semicolons between; port 0 takes a free one. Plain http on this machine's own "
                + "addresses (127.0.0.1, ::1, localhost) only; https, which needs Security.Certificate.Path, on every address."
        ),
        new(
            PublicServerUrl,
            null,
            "The address that clients are told; by default ServerUrl with its real port (the host's name instead of 0.0.0.0)."
        ),
        new(ServerUrlTcp, null, "The address reported for data subscriptions, e.g. tcp://127.0.0.1:38888. Nothing listens there yet."),
        new(DataDir, "./data", "The folder of all databases; made when missing."),
        new(RunInMemory, "false", "true keeps everything in memory: nothing survives the process."),
        new(MaxRequestBodyMb, "256", "The largest request body, in MB (bulk insert has no limit)."),
        new(
            MaxDocumentMb,
            "64",
            "The largest single document, in MB of JSON text; at most 500. "
                + "Above about 250 Storage.MaxTransactionSizeInMb must grow with it."
        ),
        new(StagingThresholdKb, "1024", "A request body above this many KB is staged to a temporary file instead of memory."),
        new(MaxConcurrentStagings, "4", "How many bodies above Limits.StagingThresholdInKb are worked on at once; others wait their turn."),
        new(
            MaxStagedBodiesMb,
            "4096",
            "The most disk space that staged request bodies take together, in MB; "
                + "beyond it 503 with Retry-After. At least Limits.MaxRequestBodySizeInMb."
        ),
        new(
            MaxStagedAnswersMb,
            "4096",
            "The most disk space that large documents take together while they are sent, in MB; beyond it 503 with Retry-After, "
                + "or the end of an answer that has begun."
        ),
        new(
            MemoryAllowanceMb,
            "0",
            "Memory that scratch, waiting writes and indexes of all databases may take together, in MB; 0 is half of what the "
                + "process may have (its control group's limit, else the machine's memory)."
        ),
        new(MaxConnections, "20000", "The most client connections at once; further ones are closed."),
        new(
            MaxUnknownConnections,
            "1000",
            "Connections of clients without a known certificate, at most a quarter of Limits.MaxConnections; a further one ends the one "
                + "that has been idle the longest."
        ),
        new(
            UnknownConnectionSeconds,
            "30",
            "How long a connection of a client without a known certificate may be without a request, in seconds."
        ),
        new(
            MaxTlsHandshakes,
            "1024",
            "TLS handshakes under way at once, at most half of Limits.MaxConnections; a further one ends the oldest."
        ),
        new(TlsHandshakeSeconds, "10", "How long a client may take from connecting to the end of the TLS handshake, in seconds."),
        new(
            MaxBatchMb,
            "256",
            "The most memory that the commands of one batch take, beside the request's body: some 800 bytes for a small command."
        ),
        new(MaxMergerQueueMb, "64", "Writes of one database that may wait, in MB; beyond it 503 with Retry-After."),
        new(MaxMergedTransactionMb, "4", "A merged transaction takes no further operation above this many MB."),
        new(MaxHiLoRange, "1048576", "The largest range of ids handed to a client at once."),
        new(MaxEventMb, "16", "The largest payload of an event, in MB; a group with a larger one is answered too-large."),
        new(MaxAppendMb, "64", "The largest append of events, in MB: payloads, texts, and 128 bytes for each event and group."),
        new(MaxSnapshotMb, "256", "The largest snapshot of an event stream, in MB; it is stored and sent in pieces."),
        new(
            MaxAutoIndexes,
            "64",
            "Automatic indexes of one database; a query that needs one more is refused, unless one of an empty collection can go "
                + "(unused for 15 s)."
        ),
        new(
            MaxReaderAgeMs,
            "1000",
            "How long one read transaction of a request may last, in milliseconds; a longer answer goes on in a new one. "
                + "A reader that lasts holds up writes."
        ),
        new(
            MaxPatchTimeMs,
            "100",
            "Processor time that a patch may take for one document, in milliseconds; those "
                + "of one batch may take 20 times as much together. Other writes wait meanwhile."
        ),
        new(QueryTimeoutSeconds, "300", "How long a query may take, in seconds; then it is ended with a System.TimeoutException."),
        new(
            JournalFileMb,
            "32",
            "The size to which journal files grow with use, in MB (the first have 1); a larger transaction gets a file of its own."
        ),
        new(
            MaxScratchMb,
            "256",
            "Memory of one database for pages that are not in the data file yet, in MB; writers slow down from three quarters of it on."
        ),
        new(MaxTransactionMb, "256", "The most memory that the pages of one transaction may take, in MB."),
        new(MaxDataFileMb, "262144", "The largest data file of one database, in MB."),
        new(SyncIntervalSeconds, "10", "The longest time between two syncs of a data file, in seconds: bounds the time of recovery."),
        new(TombstoneCleanupSeconds, "300", "The time between two rounds of removing tombstones that nobody needs any more, in seconds."),
        new(
            MaxTombstoneAgeDays,
            "14",
            "How long a deletion is kept for a task that has not seen it, in days; then it is forgotten, with an alert."
        ),
        new(
            AutoIndexIdleMinutes,
            "30",
            "An automatic index that no query has used for so many minutes no longer follows the documents; the next query wakes it."
        ),
        new(AutoIndexDeletionHours, "72", "An automatic index that no query has used for so many hours is deleted."),
        new(
            MaxRetryAfterSeconds,
            "300",
            "The longest pause that the receiver of a task may ask for (Retry-After), in seconds; then the task tries again all the same."
        ),
        new(
            CertificatePath,
            null,
            "The server's certificate for https: a PFX file, or a PEM file with the certificates of its authorities behind it. "
                + "Read again when it changes; see docs/security.md."
        ),
        new(CertificatePassword, null, "The password of the PFX file, or of the encrypted key."),
        new(CertificateKeyPath, null, "The key of a PEM certificate, when it is a file of its own."),
        new(
            WellKnownAdminCertificates,
            null,
            "Certificates of administrators, for machines that nobody logs on to: SHA-256 (or SHA-1) thumbprints, or pin: and the base64 "
                + "of the SHA-256 of a public key; several are separated by commas."
        ),
        new(
            AuditLogFolder,
            null,
            "The folder for the audit log, one file a day; by default its lines go to standard error only. See docs/security.md."
        ),
        new(
            CopyFolder,
            null,
            "The folder below which POST /admin/copy may write. A server with a certificate refuses copies while it is not set."
        ),
        new(
            SecretsFolder,
            null,
            "The folder below which files lie that connection strings name (${file:…}, and files of keys). A server with a certificate "
                + "refuses such files while it is not set."
        ),
        new(
            SecretVariablePrefix,
            null,
            $"Connection strings may name environment variables (${{env:…}}) that begin so; {DefaultSecretVariablePrefix} by default where "
                + "the server has a certificate, else any."
        ),
        new(
            RefusePrivateAddresses,
            "false",
            "true refuses webhooks, and other receivers over HTTP, at loopback and private addresses. Link-local ones are always refused."
        ),
        new(
            UnsecuredAccessAllowed,
            null,
            "Taken, because drivers of the protocol send it, and without effect: beyond this machine the server speaks https only."
        ),
        new(ParentProcessId, null, "Ends the server when that process ends or standard input closes."),
        new(
            Failpoint,
            null,
            "For tests: ends the process at once, as kill -9 would, when a step "
                + "of that name is reached (name, or name#times); see docs/promises.md."
        ),
        new(EmbeddedParentProcessId, null, "The same as Testing.ParentProcessId."),
        new(LogLevel, "Warning", "Trace, Debug, Information, Warning, Error or None; written to standard error."),
    ];

    /// <summary>Prefixes of settings that drivers of the protocol send and that mean nothing here: accepted without a word.</summary>
    public static readonly IReadOnlyList<string> QuietPrefixes =
    [
        "License.",
        "Setup.",
        "Features.",
        "Logs.",
        "Testing.",
        "Embedded.",
        "Indexing.",
        "Updates.",
        "Monitoring.",
        "Debug.",
    ];

    /// <summary>Settings of this kind change who may enter; ignoring one would promise a safety that is not there.</summary>
    public const string RefusedPrefix = "Security.";

    public static Setting? Find(string name) => All.FirstOrDefault(s => string.Equals(s.Name, name, StringComparison.OrdinalIgnoreCase));
}
