using Jackdaw.Storage.Pages;

namespace Jackdaw.Documents;

/// <summary>
/// Every limit of documents and databases in one place. Each names the setting that changes it; a refusal names the limit and the setting.
/// </summary>
public sealed record Limits
{
    /// <summary>The limits as shipped.</summary>
    public static Limits Default { get; } = new();

    /// <summary>Bytes of one document's JSON, metadata included. Setting <c>Limits.MaxDocumentSizeInMb</c>.</summary>
    public int MaxDocumentBytes { get; init; } = 64 << 20;

    /// <summary>Bytes of a request body held in memory or staged. Setting <c>Limits.MaxRequestBodySizeInMb</c>.</summary>
    public long MaxRequestBodyBytes { get; init; } = 256L << 20;

    /// <summary>Bytes of an id in UTF-8. Fixed by the format (no setting).</summary>
    public const int MaxIdBytes = 512;

    /// <summary>Bytes of a collection name in UTF-8. Fixed by the format (no setting).</summary>
    public const int MaxCollectionNameBytes = 512;

    /// <summary>Bytes of a change vector. Fixed by the format (no setting).</summary>
    public const int MaxChangeVectorBytes = 1024;

    /// <summary>Nesting of objects and arrays in a document. Fixed (no setting).</summary>
    public const int MaxJsonDepth = 512;

    /// <summary>Characters of a database name. Fixed (no setting).</summary>
    public const int MaxDatabaseNameLength = 128;

    /// <summary>Bytes of memory that the commands of one batch take beside the request's body (<see
    /// cref="Commands.DocumentCommand.MemoryBytes"/>). Setting <c>Limits.MaxBatchSizeInMb</c>.</summary>
    public long MaxBatchBytes { get; init; } = 256L << 20;

    /// <summary>
    /// Bytes of one bulk insert operation: what is read from the request before it is handed to the merger. Small, and not many
    /// at a time, because single
    /// writes wait behind it. Fixed (no setting).
    /// </summary>
    public const int BulkInsertOperationBytes = 256 << 10;

    /// <summary>
    /// Bytes of one bulk insert operation while others write too (<see cref="Database.HasRecentForegroundWrites"/>): they wait
    /// for no more than one of these.
    /// Fixed (no setting).
    /// </summary>
    public const int BulkInsertSharedOperationBytes = 64 << 10;

    /// <summary>Bytes of operations that may wait for the merger or for the disk, a database. Setting
    /// <c>Limits.MaxMergerQueueSizeInMb</c>.</summary>
    public long MaxMergerQueueBytes { get; init; } = 64L << 20;

    /// <summary>Bytes of operations after which a merged transaction takes no more. Setting
    /// <c>Limits.MaxMergedTransactionSizeInMb</c>.</summary>
    public int MaxMergedTransactionBytes { get; init; } = 4 << 20;

    /// <summary>Tombstones one cleaning operation removes. Fixed (no setting).</summary>
    public const int TombstonesPerCleaning = 1024;

    /// <summary>Documents that one operation of a pass expires or refreshes. Fixed (no setting).</summary>
    public const int DueDocumentsPerOperation = 1024;

    /// <summary>The same while others write (<see cref="Database.HasRecentForegroundWrites"/>): they wait for no more than one of
    /// these. Fixed (no setting).</summary>
    public const int DueDocumentsPerSharedOperation = 64;

    /// <summary>Bytes of documents after which an operation of a pass takes no further one. Fixed (no setting).</summary>
    public const int DueDocumentBytesPerOperation = 1 << 20;

    /// <summary>The same while others write. Fixed (no setting).</summary>
    public const int DueDocumentBytesPerSharedOperation = 64 << 10;

    /// <summary>Time between the beginnings of two passes that expire or refresh documents, unless the database is configured
    /// otherwise.</summary>
    public static readonly TimeSpan DefaultDueDocumentsInterval = TimeSpan.FromSeconds(60);

    /// <summary>After this time a pass looks again at dates behind a damaged page. Fixed (no setting).</summary>
    public static readonly TimeSpan DamagedDatesInterval = TimeSpan.FromHours(1);

    /// <summary>The longest time between two passes that can be configured. Fixed (no setting).</summary>
    public static readonly TimeSpan MaxDueDocumentsInterval = TimeSpan.FromDays(366);

    /// <summary>The first range of ids handed to a client by HiLo. Fixed (no setting).</summary>
    public const int MinHiLoRange = 32;

    /// <summary>The largest range of ids handed to a client by HiLo. Setting <c>Limits.MaxHiLoRange</c>.</summary>
    public int MaxHiLoRange { get; init; } = 1 << 20;

    /// <summary>Processor time that a patch may take, a document. Setting <c>Patching.MaxScriptTimeInMs</c>.</summary>
    public TimeSpan MaxPatchTime { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How many times <see cref="MaxPatchTime"/> the patches of one operation may take together. Fixed (no setting).</summary>
    public const int PatchTimesPerOperation = 20;

    /// <summary>
    /// Time that the patches of one operation (a batch) may keep the merger, all together, compiling their scripts included;
    /// every other write waits meanwhile.
    /// Follows the setting <c>Patching.MaxScriptTimeInMs</c>.
    /// </summary>
    public TimeSpan MaxPatchOperationTime => MaxPatchTime * PatchTimesPerOperation;

    /// <summary>
    /// Time of patches after which a merged transaction takes no further operation, and an operation of a patch by query no
    /// further document. Fixed (no setting).
    /// </summary>
    public static readonly TimeSpan PatchTimePerTransaction = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// Bytes of documents that the patches of one operation may hand back, all together: room for the original and the patched
    /// one of the largest document, with
    /// what the server adds to their metadata. Follows the setting <c>Limits.MaxDocumentSizeInMb</c>.
    /// </summary>
    public long MaxPatchResultBytes => (2L * MaxDocumentBytes) + (64 << 10);

    /// <summary>Documents that a patch or a deletion by query changes in one transaction at most. Fixed (no setting).</summary>
    public const int DocumentsPerQueryTransaction = 1000;

    /// <summary>Databases that one can descend from: how often a copy of a copy can be made. Fixed (no setting).</summary>
    public const int MaxAncestors = 256;

    /// <summary>
    /// How long one read transaction that serves a request may last. A reader holds up flushing: what takes longer goes on from its last
    /// key in a new one. Setting <c>Limits.MaxReaderAgeInMs</c>.
    /// </summary>
    public TimeSpan MaxReaderAge { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Age at which a reader is ended where its work can go on in another one (<see cref="Reading.DocumentsReader.IsDue"/>): a tenth of
    /// <see cref="MaxReaderAge"/>, which leaves room for a slow disk and a busy machine between two looks at the clock.
    /// </summary>
    public TimeSpan ReaderRenewalAge => MaxReaderAge / 10;

    /// <summary>The same while others write: a hundredth of <see cref="MaxReaderAge"/>. A request that scans rests between its readers
    /// then, so this is how much of a processor it takes before it gives way.</summary>
    public TimeSpan ReaderRenewalAgeBesideWrites => MaxReaderAge / 100;

    /// <summary>
    /// Memory that the ids of one request may take, and as much again those of the documents that its answer includes: two bytes a
    /// character and 64 an id. Enough for some 40,000 ids of 20 characters. Fixed (no setting).
    /// </summary>
    public const int MaxIdMemoryBytes = 4 << 20;

    /// <summary>
    /// Bytes of the answer to one request inside a multi_get: room for two of the largest documents. A larger one is answered with an
    /// error; the others are not. Follows the setting <c>Limits.MaxDocumentSizeInMb</c>.
    /// </summary>
    public long MaxInnerAnswerBytes => (2L * MaxDocumentBytes) + (64 << 10);

    /// <summary>Bytes of the body of a query, parameters included. Fixed (no setting).</summary>
    public const int MaxQueryBodyBytes = 2 << 20;

    /// <summary>Bytes of a stream id, and of a writer, manifest or tag of an event, in UTF-8. Fixed by the format (no
    /// setting).</summary>
    public const int MaxEventTextBytes = 1000;

    /// <summary>Tags of an event. Fixed (no setting).</summary>
    public const int MaxEventTags = 100;

    /// <summary>Bytes of an event's payload. A group with a larger one is not stored. Setting <c>Limits.MaxEventSizeInMb</c>.</summary>
    public int MaxEventBytes { get; init; } = 16 << 20;

    /// <summary>Bytes of one append: payloads, texts, and 128 an event and a group. Setting <c>Limits.MaxAppendSizeInMb</c>.</summary>
    public long MaxAppendBytes { get; init; } = 64L << 20;

    /// <summary>Replaced writers that a stream remembers. Fixed by the format (no setting).</summary>
    public const int KeptReplacedWriters = 10;

    /// <summary>Digests of removed events that are kept for a stream. Fixed by the format (no setting).</summary>
    public const int KeptEventDigests = 80;

    /// <summary>Rows of deleted events that one cleaning operation removes. Fixed (no setting).</summary>
    public const int EventsPerCleaning = 1024;

    /// <summary>Events that one answer holds unless the request says otherwise. Fixed (no setting).</summary>
    public const int DefaultEventsPerAnswer = 1000;

    /// <summary>Bytes of a snapshot. Setting <c>Limits.MaxSnapshotSizeInMb</c>.</summary>
    public long MaxSnapshotBytes { get; init; } = 256L << 20;

    /// <summary>Bytes of a chunk of a snapshot: with the header of its first page they fill a run of 512 pages. Fixed (no
    /// setting).</summary>
    public const int SnapshotChunkBytes = (4 << 20) - PageLayout.HeaderSize;

    /// <summary>Bytes of a chunk of a snapshot while others write, who wait for no more than one of these, or while many uploads are
    /// under way. A run of 8 pages. Fixed (no setting).</summary>
    public const int SnapshotSharedChunkBytes = (64 << 10) - PageLayout.HeaderSize;

    /// <summary>Bytes of a snapshot that a download reads in one read transaction; the content of a replaced snapshot of that size is
    /// removed at once. Fixed (no setting).</summary>
    public const int SnapshotPieceBytes = 1 << 20;

    /// <summary>Uploads of one database that gather large chunks in memory at a time; while there are more, chunks are small. Fixed (no
    /// setting).</summary>
    public const int LargeSnapshotUploads = 8;

    /// <summary>Uploads of snapshots of one database that are under way at a time. Each holds a connection and at least 64 KB of memory.
    /// Fixed (no setting).</summary>
    public const int MaxSnapshotUploads = 1024;

    /// <summary>Snapshots that one operation looks at to delete them. Fixed (no setting).</summary>
    public const int SnapshotsPerDeletion = 1024;

    /// <summary>Bytes of chunks after which an operation removes no further one. Fixed (no setting).</summary>
    public const long SnapshotBytesPerCleaning = 32L << 20;

    /// <summary>Snapshots that one answer lists unless the request says otherwise. Fixed (no setting).</summary>
    public const int DefaultSnapshotsPerAnswer = 1000;

    /// <summary>How long the content of a replaced or deleted snapshot is kept for downloads of it. Fixed (no setting).</summary>
    public static readonly TimeSpan MaxReplacedSnapshotAge = TimeSpan.FromMinutes(10);

    /// <summary>Characters that the patches of one operation may put out by <c>output()</c>, all together. Fixed (no setting).</summary>
    public const int MaxPatchOutputLength = 1 << 20;

    /// <summary>Characters that every call of <c>output()</c> counts as beside its text. Fixed (no setting).</summary>
    public const int PatchOutputOverhead = 16;
}
