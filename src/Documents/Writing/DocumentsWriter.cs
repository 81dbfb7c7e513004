using System.Buffers.Binary;
using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Watching;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.Writing;

/// <summary>
/// The database as the merger's transactions change it. One object a database, used from one transaction to the next; it knows
/// the counters (etags,
/// collections) without reading them again as long as every transaction was kept (<see cref="Complete"/>), and reads them anew
/// after one was dropped.
/// </summary>
internal sealed partial class DocumentsWriter
{
    /// <summary>Rows up to this size are put together here and copied; larger ones are written into their pages directly.</summary>
    private const int RowBufferBytes = 32 << 10;

    /// <summary>Rows of replaced documents take room up to this share of the documents' bytes: the larger, the more of them share
    /// a page when they are removed.</summary>
    private const double DeadShare = 0.5;

    /// <summary>While there are too many, a transaction removes two for each change of its own, and so many more; at a stretch
    /// this number.</summary>
    private const int ExtraDeadRows = 500;

    /// <summary>A transaction that is so full leaves it to the next ones: it must not become too large, and be refused, because
    /// of what others replaced.</summary>
    private const double TooFullToTidy = 0.5;

    private readonly byte[] _rowBuffer = new byte[RowBufferBytes];
    private readonly byte[] _nodeTag;
    private readonly byte[] _databaseId;
    private readonly TimeProvider _clock;
    private readonly Func<Guid> _newGuid;

    private PageTransaction? _transaction;
    private Table _documents = null!;
    private Table _tombstones = null!;
    private bool _countersAreKnown;
    private long _lastEtag;
    private long _lastWrittenEtag;
    private long _etagBefore;
    private long _tidiedChanges;

    public DocumentsWriter(string nodeTag, Guid databaseId, TimeProvider clock, Func<Guid> newGuid)
    {
        NodeTagText = nodeTag;
        _nodeTag = Encoding.ASCII.GetBytes(nodeTag);
        _databaseId = Encoding.ASCII.GetBytes(ChangeVector.DatabaseIdText(databaseId));
        _clock = clock;
        _newGuid = newGuid;
    }

    public string NodeTagText { get; }

    public ReadOnlySpan<byte> NodeTag => _nodeTag;

    /// <summary>UTC ticks; the same for the whole of an operation.</summary>
    public long NowTicks { get; private set; }

    /// <summary>The highest etag handed out, in this transaction or before.</summary>
    public long LastEtag => _lastEtag;

    /// <summary>Changes made in this transaction so far; counted before each is begun.</summary>
    public long Changes { get; private set; }

    /// <summary>What patches took of the current operation's and transaction's time.</summary>
    public PatchAllowance PatchAllowance { get; } = new();

    /// <summary>How often <see cref="Exists"/> was asked, ever: what a generated id costs.</summary>
    internal long ExistenceChecks { get; private set; }

    /// <summary>A test's chance to throw in the middle of a change.</summary>
    internal Action? FaultPoint { get; set; }

    /// <summary>
    /// A row replaced within so many etags is removed at once: its page is to be flushed anyway, and a document that is written
    /// over and over leaves no trail of dead
    /// rows for readers to pass over.
    /// </summary>
    internal long RecentEtags { get; init; } = 4096;

    /// <summary>A page was damaged where dead rows were to be removed: that is not tried again until the database is opened anew.
    /// Null: there was none.</summary>
    public CorruptedDataException? TidyingFault { get; private set; }

    /// <summary>Shows events as documents; null: there are none.</summary>
    internal IEventsInTransaction? Events { get; init; }

    /// <summary>When documents are due.</summary>
    public DueDates DueDates { get; } = new();

    /// <summary>A mistake for the simulator to find.</summary>
    internal PlantedMergerFault Planted { get; init; }

    public Guid NewGuid() => _newGuid();

    public void Begin(PageTransaction transaction)
    {
        Invariant.Require(_transaction is null && transaction.IsWritable);
        _transaction = transaction;
        _documents = transaction.Catalog.OpenTable(Schema.Documents);
        _tombstones = transaction.Catalog.OpenTable(Schema.Tombstones);
        Changes = _tidiedChanges = 0;
        _eventChanges = ChangeKinds.None;
        if (_countersAreKnown)
            return;
        _lastEtag = _lastWrittenEtag = ReadLastEtag(transaction);
        ForgetCollections();
        _countersAreKnown = true;
    }

    public void BeginOperation(MergedOperation operation)
    {
        _trace = operation.Trace;
        NowTicks = _clock.GetUtcNow().UtcTicks;
        PatchAllowance.BeginOperation();
    }

    /// <summary>
    /// The operation was executed: removes dead rows for its changes. Here rather than when the transaction is completed, because
    /// the journal write before is
    /// under way now, and nobody waits. <see cref="TidyingFailedException"/>: the transaction must be dropped, and its operations
    /// executed again.
    /// </summary>
    public void EndOperation()
    {
        RemoveDeadRows(2 * (Changes - _tidiedChanges));
        _tidiedChanges = Changes;
    }

    /// <summary>Tidies up and writes the counters; the transaction can then be committed. Call <see cref="Abandon"/> instead, or
    /// after it, if that does not come about. <see cref="TidyingFailedException"/>: as <see cref="EndOperation"/>.</summary>
    public void Complete()
    {
        Invariant.Require(_transaction is not null);
        RemoveDeadRows(ExtraDeadRows);
        _etagBefore = _lastWrittenEtag;
        if (_lastEtag != _lastWrittenEtag)
        {
            var value = Values.Reserve(Schema.LastEtagValue, sizeof(long), out _);
            BinaryPrimitives.WriteInt64LittleEndian(value, _lastEtag);
            _lastWrittenEtag = _lastEtag;
        }
        WriteCollections();
        _transaction = null;
    }

    private void RemoveDeadRows(long atMost)
    {
        while (atMost > 0 && TidyingFault is null && Transaction.Fullness < TooFullToTidy)
        {
            int removed = Vacuum((int)Math.Min(atMost, ExtraDeadRows));
            if (removed == 0)
                return;
            atMost -= removed;
        }
    }

    private int Vacuum(int atMost)
    {
        try
        {
            return _documents.Vacuum(DeadShare, atMost);
        }
        catch (CorruptedDataException damage) when (!damage.IsShared)
        {
            TidyingFault = damage;
            throw new TidyingFailedException(damage);
        }
    }

    /// <summary>The transaction is dropped: what is known of its counters is forgotten.</summary>
    public void Abandon()
    {
        _transaction = null;
        if (Changes != 0 && Planted != PlantedMergerFault.CountersOutliveDrop)
            _countersAreKnown = false;
    }

    public long NextEtag() => NextEtags(1);

    /// <summary>Hands out several etags in a row and returns the last one.</summary>
    public long NextEtags(long count)
    {
        Invariant.Require(count > 0 && count <= long.MaxValue - _lastEtag);
        Changes++;
        return _lastEtag += count;
    }

    /// <summary>Writes this database's change vector for an etag, and returns its length.</summary>
    public int WriteChangeVector(long etag, Span<byte> destination) => ChangeVector.Write(_nodeTag, etag, _databaseId, destination);

    /// <summary>The row lies in page memory: valid until the next change.</summary>
    public bool TryGet(ReadOnlySpan<byte> lowerId, out DocumentRow document, out long etag)
    {
        if (!_documents.TryGetByIndex(Schema.DocumentsById, lowerId, out var key, out var row))
        {
            document = default;
            etag = 0;
            return false;
        }
        document = new DocumentRow(row);
        etag = Schema.ReadEtagKey(key);
        return true;
    }

    /// <summary>Refuses what would change an event.</summary>
    /// <exception cref="EventsAreReadOnlyException">The id, or the beginning of ids, is one of events.</exception>
    public static void RefuseEvent(ReadOnlySpan<byte> lowerId)
    {
        if (lowerId.StartsWith(CollectionNames.EventIds))
            throw new EventsAreReadOnlyException($"The id '{ShownText.Of(Encoding.UTF8.GetString(lowerId))}'");
    }

    /// <summary>The first document in id order whose lower-cased id begins with the prefix.</summary>
    public bool TryGetFirst(ReadOnlySpan<byte> lowerPrefix, out DocumentRow document, out long etag)
    {
        using var cursor = _documents.OpenCursor(Schema.DocumentsById);
        if (!cursor.Seek(lowerPrefix) || !cursor.IndexKey.StartsWith(lowerPrefix))
        {
            document = default;
            etag = 0;
            return false;
        }
        document = new DocumentRow(cursor.Row);
        etag = Schema.ReadEtagKey(cursor.PrimaryKey);
        return true;
    }

    /// <summary>Is there a document of this id, in any casing?</summary>
    public bool Exists(ReadOnlySpan<byte> id)
    {
        ExistenceChecks++;
        Span<byte> lower = stackalloc byte[DocumentId.MaxLowerBytes];
        int length = DocumentId.WriteLower(id, lower);
        return TryGet(lower[..length], out _, out _);
    }

    internal static long ReadLastEtag(PageTransaction transaction) =>
        transaction.Catalog.TryOpenTree(Schema.ValuesTree, out var values) && values.TryGet(Schema.LastEtagValue, out var value)
            ? BinaryPrimitives.ReadInt64LittleEndian(value)
            : 0;

    internal PageTransaction Transaction
    {
        get
        {
            Invariant.Require(_transaction is not null);
            return _transaction;
        }
    }

    private BTree Values => Transaction.Catalog.OpenTree(Schema.ValuesTree);
}
