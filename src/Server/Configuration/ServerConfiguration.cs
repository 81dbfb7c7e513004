using System.Collections;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Snapshots;
using Jackdaw.Etl;
using Jackdaw.Indexing;
using Jackdaw.Indexing.Registry;
using Jackdaw.Storage;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Scratch;
using Microsoft.Extensions.Logging;

namespace Jackdaw.Server.Configuration;

/// <summary>The settings as the server uses them: typed, checked, in bytes where they are sizes.</summary>
public sealed record ServerConfiguration
{
    private const long Megabyte = 1024 * 1024;

    /// <summary>A document lies in one run of pages, of 510 MB at most, beside its id and what else belongs to it.</summary>
    private const int LargestDocumentMb = 500;

    /// <summary>All of an append is one operation, in one transaction.</summary>
    private const int LargestEventMb = 200;

    private static readonly string[] s_filesOfProcesses = ["/proc/", "/sys/", "/dev/"];

    /// <summary>A snapshot is never in memory or in a transaction as a whole; this bounds the time of one request.</summary>
    private const int LargestSnapshotMb = 65_536;

    /// <summary>The addresses to listen at, all http or all https; the first is the one that clients are told.</summary>
    public required IReadOnlyList<Uri> ServerUrls { get; init; }

    /// <summary>The first address to listen at.</summary>
    public Uri ServerUrl => ServerUrls[0];

    /// <summary>The address that clients are told, when it is not <see cref="ServerUrl"/>.</summary>
    public Uri? PublicServerUrl { get; init; }

    /// <summary>Where the process is to end as by kill -9, for a test; null: nowhere.</summary>
    public string? Failpoint { get; init; }

    /// <summary>The address told for subscriptions; null when none was given.</summary>
    public Uri? TcpUrl { get; init; }

    /// <summary>An absolute path.</summary>
    public required string DataDirectory { get; init; }

    /// <summary>True when nothing is written to a disk.</summary>
    public bool RunInMemory { get; init; }

    /// <summary>The process with which this one ends, if one was named.</summary>
    public int? ParentProcessId { get; init; }

    /// <summary>An absolute path; null when the audit log has no files.</summary>
    public string? AuditLogFolder { get; init; }

    /// <summary>An absolute path; null when none is configured.</summary>
    public string? CopyFolder { get; init; }

    /// <summary>The folder of files that connection strings may name, as an absolute path; null when none is configured.</summary>
    public string? SecretsFolder { get; init; }

    /// <summary>How environment variables begin that connection strings may name; null when that is not configured.</summary>
    public string? SecretVariablePrefix { get; init; }

    /// <summary>The files that settings were read from, as absolute paths.</summary>
    public IReadOnlyList<string> SettingsFiles { get; init; } = [];

    /// <summary>Whether receivers over HTTP at loopback and private addresses are refused.</summary>
    public bool RefusesPrivateAddresses { get; init; }

    /// <summary>The server's certificate, as a PFX or PEM file; null for plain HTTP.</summary>
    public string? CertificatePath { get; init; }

    /// <summary>The password of the PFX file, or of the encrypted key.</summary>
    public string? CertificatePassword { get; init; }

    /// <summary>The key of a PEM certificate, where it is a file of its own.</summary>
    public string? CertificateKeyPath { get; init; }

    /// <summary>Connections of clients without a known certificate.</summary>
    public int MaxUnknownConnections { get; init; } = 1000;

    /// <summary>How long such a connection may be without a request.</summary>
    public TimeSpan UnknownConnectionTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>TLS handshakes under way at once.</summary>
    public int MaxTlsHandshakes { get; init; } = 1024;

    /// <summary>How long a TLS handshake may take.</summary>
    public TimeSpan TlsHandshakeTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Certificates of administrators that have no record, as they were given.</summary>
    public string? WellKnownAdminCertificates { get; init; }

    /// <summary>The limits of documents and databases.</summary>
    public Limits Limits { get; init; } = Limits.Default;

    /// <summary>A request body above this is staged to a file.</summary>
    public int StagingThresholdBytes { get; init; } = 1 << 20;

    /// <summary>How many large bodies are read at once.</summary>
    public int MaxLargeRequests { get; init; } = 4;

    /// <summary>What scratch, waiting operations and indexes of all databases may take together; 0: half of what the process may
    /// have.</summary>
    public long MemoryAllowanceBytes { get; init; }

    /// <summary>What staged request bodies may take of the disk together.</summary>
    public long MaxStagedBodiesBytes { get; init; } = 4L << 30;

    /// <summary>The disk space, in bytes, that staged answers may take together.</summary>
    public long MaxStagedAnswersBytes { get; init; } = 4L << 30;

    /// <summary>How many connections are open at once.</summary>
    public int MaxConnections { get; init; } = 20_000;

    /// <summary>How each database's files are kept.</summary>
    public EnvironmentOptions Storage { get; init; } = new();

    /// <summary>The time between two removals of old tombstones.</summary>
    public TimeSpan TombstoneCleaningInterval { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>How long a tombstone waits for a disabled or slow consumer.</summary>
    public TimeSpan MaxTombstoneAge { get; init; } = TimeSpan.FromDays(14);

    /// <summary>Automatic indexes of one database.</summary>
    public int MaxAutoIndexes { get; init; } = IndexingLimits.MaxAutoIndexes;

    /// <summary>How long nobody may query an automatic index before it is idle.</summary>
    public TimeSpan AutoIndexIdleAfter { get; init; } = TimeSpan.FromMinutes(30);

    /// <summary>How long nobody may query an automatic index before it is deleted.</summary>
    public TimeSpan AutoIndexDeletedAfter { get; init; } = TimeSpan.FromHours(72);

    /// <summary>How long a query may take.</summary>
    public TimeSpan QueryTimeout { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>The longest pause that the receiver of a task may ask for.</summary>
    public TimeSpan MaxRetryAfter { get; init; } = EtlLimits.Default.LongestAskedPause;

    /// <summary>The lowest level that is logged.</summary>
    public LogLevel LogLevel { get; init; } = LogLevel.Warning;

    /// <summary>Sentences for standard error about settings that were ignored.</summary>
    public IReadOnlyList<string> Warnings { get; init; } = [];

    /// <summary>Defaults, then the JSON file named by <c>--config-path</c>, then <c>JACKDAW_…</c> variables, then the command
    /// line.</summary>
    /// <exception cref="ConfigurationException">A setting is misspelt, malformed or refused.</exception>
    public static ServerConfiguration Read(IReadOnlyList<string> arguments, IDictionary environment)
    {
        var configuration = ReadToAsk(arguments, environment);
        ServingAddresses.Require(configuration);
        return configuration;
    }

    /// <summary>Likewise, of a command that asks a running server: its addresses say where to ask, not where to listen, so none that
    /// would be unsafe to serve is refused.</summary>
    /// <exception cref="ConfigurationException">A setting is misspelt or malformed.</exception>
    public static ServerConfiguration ReadToAsk(IReadOnlyList<string> arguments, IDictionary environment)
    {
        var values = SettingValues.Read(arguments, environment);
        return new ServerConfiguration
        {
            ServerUrls = ReadUrls(values),
            Failpoint = NullIfEmpty(values[KnownSettings.Failpoint]),
            PublicServerUrl = NullIfEmpty(values[KnownSettings.PublicServerUrl]) is { } told
                ? ParseUrl(told, KnownSettings.PublicServerUrl, "http", "https")
                : null,
            TcpUrl = NullIfEmpty(values[KnownSettings.ServerUrlTcp]) is { } tcp ? ParseUrl(tcp, KnownSettings.ServerUrlTcp, "tcp") : null,
            DataDirectory = Path.GetFullPath(values.Required(KnownSettings.DataDir)),
            RunInMemory = values.Boolean(KnownSettings.RunInMemory),
            ParentProcessId =
                ReadParent(values, KnownSettings.ParentProcessId) ?? ReadParent(values, KnownSettings.EmbeddedParentProcessId),
            AuditLogFolder = NullIfEmpty(values[KnownSettings.AuditLogFolder]) is { } audit ? Path.GetFullPath(audit) : null,
            CopyFolder = NullIfEmpty(values[KnownSettings.CopyFolder]) is { } copies ? Path.GetFullPath(copies) : null,
            SecretsFolder = ReadSecretsFolder(values),
            SecretVariablePrefix = ReadSecretVariablePrefix(values),
            SettingsFiles = [.. values.Files],
            RefusesPrivateAddresses = values.Boolean(KnownSettings.RefusePrivateAddresses),
            CertificatePath = NullIfEmpty(values[KnownSettings.CertificatePath]),
            CertificatePassword = values[KnownSettings.CertificatePassword],
            CertificateKeyPath = NullIfEmpty(values[KnownSettings.CertificateKeyPath]),
            MaxUnknownConnections = values.Integer(KnownSettings.MaxUnknownConnections, 1, 10_000_000),
            UnknownConnectionTimeout = TimeSpan.FromSeconds(values.Integer(KnownSettings.UnknownConnectionSeconds, 1, 86_400)),
            MaxTlsHandshakes = values.Integer(KnownSettings.MaxTlsHandshakes, 1, 100_000),
            TlsHandshakeTimeout = TimeSpan.FromSeconds(values.Integer(KnownSettings.TlsHandshakeSeconds, 1, 600)),
            WellKnownAdminCertificates = NullIfEmpty(values[KnownSettings.WellKnownAdminCertificates]),
            Limits = ReadLimits(values),
            StagingThresholdBytes = values.Integer(KnownSettings.StagingThresholdKb, 16, 1 << 20) * 1024,
            MaxLargeRequests = values.Integer(KnownSettings.MaxConcurrentStagings, 1, 1024),
            MaxStagedBodiesBytes = ReadMaxStagedBodies(values),
            MaxStagedAnswersBytes = values.Integer(KnownSettings.MaxStagedAnswersMb, 1, int.MaxValue) * Megabyte,
            MemoryAllowanceBytes = values.Integer(KnownSettings.MemoryAllowanceMb, 0, int.MaxValue) * Megabyte,
            MaxConnections = values.Integer(KnownSettings.MaxConnections, 1, 10_000_000),
            QueryTimeout = TimeSpan.FromSeconds(values.Integer(KnownSettings.QueryTimeoutSeconds, 1, 86_400)),
            MaxRetryAfter = TimeSpan.FromSeconds(values.Integer(KnownSettings.MaxRetryAfterSeconds, 1, 86_400)),
            Storage = new EnvironmentOptions
            {
                JournalFileBytes = values.Integer(KnownSettings.JournalFileMb, 1, 2047) * Megabyte,
                MaxScratchBytes = values.Integer(KnownSettings.MaxScratchMb, 64, 1 << 20) * Megabyte,
                MaxTransactionBytes = values.Integer(KnownSettings.MaxTransactionMb, 16, 2047) * Megabyte,
                MaxDataFileBytes = values.Integer(KnownSettings.MaxDataFileMb, 64, 1 << 26) * Megabyte,
                SyncInterval = TimeSpan.FromSeconds(values.Integer(KnownSettings.SyncIntervalSeconds, 1, 3600)),
            },
            TombstoneCleaningInterval = TimeSpan.FromSeconds(values.Integer(KnownSettings.TombstoneCleanupSeconds, 1, 86_400)),
            MaxTombstoneAge = TimeSpan.FromDays(values.Integer(KnownSettings.MaxTombstoneAgeDays, 1, 3650)),
            MaxAutoIndexes = values.Integer(KnownSettings.MaxAutoIndexes, 1, 10_000),
            AutoIndexIdleAfter = TimeSpan.FromMinutes(values.Integer(KnownSettings.AutoIndexIdleMinutes, 1, 525_600)),
            AutoIndexDeletedAfter = TimeSpan.FromHours(values.Integer(KnownSettings.AutoIndexDeletionHours, 1, 87_600)),
            LogLevel = Enum.TryParse<LogLevel>(values[KnownSettings.LogLevel], ignoreCase: true, out var level)
                ? level
                : throw new ConfigurationException(
                    $"{KnownSettings.LogLevel} must be a log level, not '{values[KnownSettings.LogLevel]}'."
                ),
            Warnings = ReadWarnings(values),
        };
    }

    /// <summary>What the databases are opened with.</summary>
    /// <param name="memory">What they may take together; null for a command that opens one at a time.</param>
    /// <param name="scratch">Where they keep empty scratch together; null: each keeps its own.</param>
    public DatabasesOptions DatabasesOptions(MemoryAllowance? memory = null, ScratchReserve? scratch = null) =>
        new()
        {
            DataDir = DataDirectory,
            RunInMemory = RunInMemory,
            Limits = Limits,
            Storage = Storage with { Memory = memory, ScratchReserve = scratch },
            TombstoneCleaningInterval = TombstoneCleaningInterval,
            MaxTombstoneAge = MaxTombstoneAge,
            Rooms = [Jackdaw.Etl.Values.EtlRoom.Instance, IndexesRoom.Instance, EventsRoom.Instance, SnapshotsRoom.Instance],
        };

    /// <summary>How the indexes of all databases run.</summary>
    /// <param name="memory">What they may take, together with the databases.</param>
    public IndexingOptions IndexingOptions(MemoryAllowance memory) =>
        new()
        {
            Memory = memory,
            MaxAutoIndexes = MaxAutoIndexes,
            IdleAfter = AutoIndexIdleAfter,
            DeleteIdleAfter = AutoIndexDeletedAfter,
        };

    /// <summary>Makes the server's memory allowance: as configured, else a share of what the process may have.</summary>
    public MemoryAllowance Memory() =>
        new(MemoryAllowanceBytes > 0 ? MemoryAllowanceBytes : (long)(MemoryLimit.Read().Bytes * MemoryAllowance.DefaultShare));

    /// <summary>Were it less than a single body may have, that one would be told to wait for nobody.</summary>
    private static long ReadMaxStagedBodies(SettingValues values)
    {
        var megabytes = values.Integer(KnownSettings.MaxStagedBodiesMb, 1, int.MaxValue);
        var least = values.Integer(KnownSettings.MaxRequestBodyMb, 1, 2047);
        if (megabytes < least)
            throw new ConfigurationException(
                $"{KnownSettings.MaxStagedBodiesMb} must be at least {KnownSettings.MaxRequestBodyMb}, which is {least}, not {megabytes}."
            );
        return megabytes * Megabyte;
    }

    /// <summary>Not one that holds the files of processes: the server's own environment and command line are among them.</summary>
    private static string? ReadSecretsFolder(SettingValues values)
    {
        if (NullIfEmpty(values[KnownSettings.SecretsFolder]) is not { } text)
            return null;
        var folder = Path.GetFullPath(text).TrimEnd('/') + "/";
        if (folder == "/" || s_filesOfProcesses.Any(one => folder.StartsWith(one, StringComparison.Ordinal)))
            throw new ConfigurationException($"{KnownSettings.SecretsFolder} must be a folder of secrets alone, not '{text}'.");
        return folder.TrimEnd('/');
    }

    private static string? ReadSecretVariablePrefix(SettingValues values)
    {
        if (NullIfEmpty(values[KnownSettings.SecretVariablePrefix]) is not { } prefix)
            return null;
        if (prefix.StartsWith(SettingValues.EnvironmentPrefix, StringComparison.OrdinalIgnoreCase))
            throw new ConfigurationException(
                $"{KnownSettings.SecretVariablePrefix} must not begin with {SettingValues.EnvironmentPrefix}, as the server's own settings "
                    + $"do; '{prefix}' does."
            );
        return prefix;
    }

    private static Limits ReadLimits(SettingValues values) =>
        new()
        {
            MaxRequestBodyBytes = values.Integer(KnownSettings.MaxRequestBodyMb, 1, 2047) * Megabyte,
            MaxDocumentBytes = (int)(values.Integer(KnownSettings.MaxDocumentMb, 1, LargestDocumentMb) * Megabyte),
            MaxBatchBytes = values.Integer(KnownSettings.MaxBatchMb, 1, 1 << 20) * Megabyte,
            MaxMergerQueueBytes = values.Integer(KnownSettings.MaxMergerQueueMb, 1, 1 << 20) * Megabyte,
            MaxMergedTransactionBytes = (int)(values.Integer(KnownSettings.MaxMergedTransactionMb, 1, 1024) * Megabyte),
            MaxHiLoRange = values.Integer(KnownSettings.MaxHiLoRange, Limits.MinHiLoRange, int.MaxValue),
            MaxEventBytes = (int)(values.Integer(KnownSettings.MaxEventMb, 1, LargestEventMb) * Megabyte),
            MaxAppendBytes = values.Integer(KnownSettings.MaxAppendMb, 1, LargestEventMb) * Megabyte,
            MaxSnapshotBytes = values.Integer(KnownSettings.MaxSnapshotMb, 1, LargestSnapshotMb) * Megabyte,
            MaxReaderAge = TimeSpan.FromMilliseconds(values.Integer(KnownSettings.MaxReaderAgeMs, 100, 3_600_000)),
            MaxPatchTime = TimeSpan.FromMilliseconds(values.Integer(KnownSettings.MaxPatchTimeMs, 1, 60_000)),
        };

    private static int? ReadParent(SettingValues values, string name) =>
        NullIfEmpty(values[name]) is null ? null : values.Integer(name, 1, int.MaxValue);

    private static string? NullIfEmpty(string? text) => string.IsNullOrEmpty(text) ? null : text;

    private static Uri ParseUrl(string text, string name, params string[] schemes)
    {
        if (
            !Uri.TryCreate(text, UriKind.Absolute, out var url)
            || !schemes.Contains(url.Scheme, StringComparer.OrdinalIgnoreCase)
            || url.AbsolutePath is not ("/" or "")
        )
            throw new ConfigurationException($"{name} must be {string.Join(" or ", schemes)}://host:port, not '{text}'.");
        return url;
    }

    private static Uri[] ReadUrls(SettingValues values)
    {
        var text = values.Required(KnownSettings.ServerUrl);
        var urls = text.Split(';', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
            .Select(one => ParseUrl(one, KnownSettings.ServerUrl, "http", "https"))
            .ToArray();
        return urls.Length > 0
            ? urls
            : throw new ConfigurationException($"{KnownSettings.ServerUrl} must be http or https://host:port, not '{text}'.");
    }

    private static List<string> ReadWarnings(SettingValues values)
    {
        var warnings = values.Warnings.ToList();
        if (NullIfEmpty(values[KnownSettings.UnsecuredAccessAllowed]) is not null)
            warnings.Add(
                $"{KnownSettings.UnsecuredAccessAllowed} has no effect: beyond this machine the server speaks https only "
                    + $"({KnownSettings.CertificatePath})."
            );
        return warnings;
    }
}
