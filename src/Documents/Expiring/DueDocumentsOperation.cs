using Jackdaw.Documents.Buffers;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Expiring;

/// <summary>
/// Deletes documents that have expired, or refreshes documents: a bounded number of those whose date has passed, the earliest
/// first. Each is the version that has the date.
/// </summary>
/// <param name="kind">What happens.</param>
internal sealed class DueDocumentsOperation(DocumentDateKind kind) : MergedOperation
{
    private readonly DeleteCommand _deletion = new();
    private readonly byte[] _changeVector = new byte[ChangeVector.MaxElementBytes];
    private CommandBuffer _kept;

    /// <summary>What happens to documents that are due.</summary>
    public DocumentDateKind Kind => kind;

    /// <inheritdoc />
    public override long SizeBytes => 0;

    /// <summary>Set before submission: documents that it takes at most.</summary>
    public long MaxDocuments { get; set; } = Limits.DueDocumentsPerOperation;

    /// <summary>Set before submission: bytes of documents after which it takes no further one.</summary>
    public long MaxBytes { get; set; } = Limits.DueDocumentBytesPerOperation;

    /// <summary>Set before submission: entries before it are left alone, because their documents cannot be read.</summary>
    public (long Ticks, long Etag) From { get; set; }

    /// <summary>Documents that were expired or refreshed. A result.</summary>
    public int Done { get; private set; }

    /// <summary>A bound ended the work. A result.</summary>
    public bool HasMore { get; private set; }

    /// <summary>The entry that it came to last: the one to blame when it failed. Null: it could not read the first one. A result, of a
    /// failure too.</summary>
    public (long Ticks, long Etag)? Current { get; private set; }

    /// <summary>A page of the dates is damaged, so nobody knows what lies on it. A result.</summary>
    public bool MetDamage { get; private set; }

    /// <summary>The work ended at a damaged page of the dates behind which none can be read. A result.</summary>
    public bool IsRestUnreadable { get; private set; }

    internal override void Execute(DocumentsWriter writer)
    {
        // It may be executed again.
        Done = 0;
        HasMore = false;
        MetDamage = false;
        IsRestUnreadable = false;
        Current = null;
        if (writer.TryGetDatesValue(kind, out var settings) && !DueDocumentsSettings.Read(settings).Disabled)
            Work(writer);
        writer.DueDates.Raise(kind, Lowest(writer));
    }

    /// <summary>The first date that is left. Behind a damaged page it is looked for again after some time.</summary>
    private long Lowest(DocumentsWriter writer)
    {
        try
        {
            return writer.TryGetDate(kind, default, out var first) ? first.Ticks : DueDates.Never;
        }
        catch (CorruptedDataException damage) when (!damage.IsShared)
        {
            MetDamage = true;
            long first = DateTree.FirstReadable(writer.Transaction, kind, default)?.Ticks ?? DueDates.Never;
            return Math.Min(first, writer.NowTicks + Limits.DamagedDatesInterval.Ticks);
        }
    }

    private void Work(DocumentsWriter writer)
    {
        long now = writer.NowTicks;
        if (writer.Planted == PlantedMergerFault.ExpiresEarly)
            now += TimeSpan.TicksPerMinute;
        long bytes = 0;
        while (TryGetNext(writer, isFull: Done >= MaxDocuments || bytes >= MaxBytes, out var due) && due.Ticks <= now)
        {
            if (Done >= MaxDocuments || bytes >= MaxBytes)
            {
                HasMore = true;
                return;
            }
            Current = due;
            var document = writer.GetVersion(due.Etag);
            bytes += document.Metadata.Length + document.Body.Length;
            if (kind == DocumentDateKind.Expires)
                _deletion.Delete(writer, document, due.Etag);
            else
                Refresh(writer, document, due.Etag);
            Done++;
        }
    }

    /// <summary>A damaged page after the last document that it may take is the next operation's: this one would take nothing, again and
    /// again. Where nothing behind a damaged page can be read, the work ends there: a refusal would leave the bound of the dates as it is,
    /// and so bring each further pass to the same page.</summary>
    private bool TryGetNext(DocumentsWriter writer, bool isFull, out (long Ticks, long Etag) due)
    {
        try
        {
            return writer.TryGetDate(kind, From, out due);
        }
        catch (CorruptedDataException damage) when (!damage.IsShared)
        {
            if (!isFull && DateTree.FirstReadable(writer.Transaction, kind, From) is not null)
                throw;
            MetDamage = true;
            HasMore = isFull;
            IsRestUnreadable = !isFull;
            due = default;
            return false;
        }
    }

    /// <summary>Writes the document again as it is, but for the date.</summary>
    private void Refresh(DocumentsWriter writer, DocumentRow document, long replacedEtag)
    {
        // The row lies in page memory, which the write takes away.
        _kept.Clear();
        var id = _kept.Append(document.Id);
        var lowerId = _kept.Append(document.LowerId);
        var body = _kept.Append(document.Body);
        var metadata =
            writer.Planted == PlantedMergerFault.RefreshKeepsDate
                ? _kept.Append(document.Metadata)
                : MetadataMembers.Without(document.Metadata, "@refresh"u8, ref _kept);
        var dates = document.Dates with { Refresh = null };
        var flags = document.Flags;
        uint collectionId = document.CollectionId;
        long etag = writer.NextEtag();
        int changeVector = writer.WriteChangeVector(etag, _changeVector);
        writer.Apply(
            new NewDocument
            {
                Id = _kept.Slice(id),
                LowerId = _kept.Slice(lowerId),
                Etag = etag,
                ChangeVector = _changeVector.AsSpan(0, changeVector),
                LastModifiedTicks = writer.NowTicks,
                Collection = writer.CollectionName(collectionId),
                CollectionId = collectionId,
                Flags = flags,
                Metadata = _kept.Slice(metadata),
                Dates = dates,
                BodyHead = _kept.Slice(body),
            },
            replacedEtag
        );
        _kept.Clear();
    }
}
