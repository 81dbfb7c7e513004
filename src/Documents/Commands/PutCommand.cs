using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Json;
using Jackdaw.Documents.Buffers;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Commands;

/// <summary>
/// Stores a document. Inputs are set before submission and checked as they are set (each setter may throw an
/// <see cref="OperationException"/>); results are
/// valid once the batch has been awaited and until it is returned.
/// Ids: <c>users/1</c> is taken as is; <c>users/</c> gets a number from the server (<c>users/0000000000000000042-A</c>);
/// <c>users|</c> the next identity
/// (<c>users/1</c>); none at all a guid.
/// </summary>
public sealed class PutCommand : DocumentCommand
{
    private ReadOnlyMemory<byte> _document;
    private SplitDocument _split;
    private bool _hasDocument;

    private ByteRange _resultId;
    private ByteRange _resultLowerId;
    private ByteRange _resultChangeVector;

    internal PutCommand() { }

    /// <summary>Sets the id, UTF-8 or text; empty or null asks for a guid. The bytes are copied.</summary>
    public void SetId(ReadOnlySpan<byte> utf8)
    {
        _id = _inputs.Append(utf8);
        if (!_id.IsEmpty)
            PrepareId();
    }

    /// <inheritdoc cref="SetId(ReadOnlySpan{byte})"/>
    public void SetId(string? id)
    {
        _id = AppendText(id);
        if (!_id.IsEmpty)
            PrepareId();
    }

    /// <summary>
    /// Sets the document: one JSON object in UTF-8, which may hold <c>@metadata</c>. Not copied: the memory must stay as it is
    /// until the batch has been awaited.
    /// Throws <see cref="InvalidDocumentException"/> or <see cref="TooLargeException"/>.
    /// </summary>
    public void SetDocument(ReadOnlyMemory<byte> json, Limits limits)
    {
        CheckSize(json.Length, limits);
        _split = DocumentSplitter.Split(json.Span, ref _inputs);
        _document = json;
        _hasDocument = true;
    }

    /// <summary>
    /// As <see cref="SetDocument(ReadOnlyMemory{byte}, Limits)"/>, for a document inside a larger JSON text: the reader stands on
    /// its <c>{</c> and is left on its
    /// <c>}</c>. <paramref name="source"/> is the whole text that the reader was made over, at index 0, and stays as it is
    /// likewise. The reader's depth limit
    /// should be <see cref="Limits.MaxJsonDepth"/> plus the depth at which documents stand.
    /// </summary>
    public void SetDocument(ref Utf8JsonReader reader, ReadOnlyMemory<byte> source, Limits limits)
    {
        long start = reader.TokenStartIndex;
        _split = DocumentSplitter.Split(ref reader, source.Span, ref _inputs);
        CheckSize(reader.BytesConsumed - start, limits);
        _document = source;
        _hasDocument = true;
    }

    /// <summary>When the stored document has the same text already, it is left as it is: no etag is taken, and the results are
    /// those of the stored one.</summary>
    public bool SkipsUnchanged { get; set; }

    /// <inheritdoc />
    public override long SizeBytes => _inputs.Length + BodyHead.Length + BodyTail.Length;

    /// <summary>The id under which it was stored, in the stored casing. A result.</summary>
    public ReadOnlySpan<byte> Id => _results.Slice(_resultId);

    /// <summary>The collection, <c>@empty</c> for none. A result.</summary>
    public ReadOnlySpan<byte> Collection => _split.CollectionName(_inputs);

    /// <summary>A result.</summary>
    public ReadOnlySpan<byte> ChangeVector => _results.Slice(_resultChangeVector);

    /// <summary>A result.</summary>
    public long Etag { get; private set; }

    /// <summary>UTC ticks. A result.</summary>
    public long LastModifiedTicks { get; private set; }

    /// <summary>A result.</summary>
    public DocumentFlags Flags { get; private set; }

    private ReadOnlySpan<byte> BodyHead =>
        _split.BodyIsOwned ? _inputs.Slice(_split.BodyHead) : _document.Span.Slice(_split.BodyHead.Start, _split.BodyHead.Length);

    private ReadOnlySpan<byte> BodyTail =>
        _split.BodyIsOwned ? default : _document.Span.Slice(_split.BodyTail.Start, _split.BodyTail.Length);

    internal override void Execute(DocumentsWriter writer)
    {
        Invariant.Require(_hasDocument);
        _results.Clear();
        ResolveId(writer);
        var lowerId = _results.Slice(_resultLowerId);
        DocumentsWriter.RefuseEvent(lowerId);
        bool exists = writer.TryGet(lowerId, out var existing, out long existingEtag);
        CheckExpectation(Id, exists, exists ? existing.ChangeVector : default);
        uint collectionId = writer.FindCollection(_split.LowerCollectionName(_inputs));
        if (exists)
        {
            if (existing.CollectionId != collectionId)
                ThrowCollectionMismatch(existing.Collection);
            // The casing of the first write stays; page memory does not outlive the write, so it is copied.
            if (!existing.Id.SequenceEqual(Id))
                _resultId = _results.Append(existing.Id);
            Flags = existing.Flags;
            if (SkipsUnchanged && IsUnchanged(existing))
            {
                Etag = existingEtag;
                LastModifiedTicks = existing.LastModifiedTicks;
                _resultChangeVector = _results.Append(existing.ChangeVector);
                return;
            }
        }
        else
        {
            Flags = DocumentFlags.None;
            if (collectionId == 0)
                collectionId = writer.CreateCollection(Collection, _split.LowerCollectionName(_inputs));
        }
        Etag = writer.NextEtag();
        LastModifiedTicks = writer.NowTicks;
        _resultChangeVector = WriteChangeVector(writer);
        writer.Apply(
            new NewDocument
            {
                Id = Id,
                LowerId = _results.Slice(_resultLowerId),
                Etag = Etag,
                ChangeVector = ChangeVector,
                LastModifiedTicks = LastModifiedTicks,
                Collection = writer.CollectionName(collectionId),
                CollectionId = collectionId,
                Flags = Flags,
                Metadata = _inputs.Slice(_split.Metadata),
                Dates = _split.Dates,
                BodyHead = BodyHead,
                BodyTail = BodyTail,
            },
            exists ? existingEtag : 0
        );
    }

    internal override void Clear()
    {
        base.Clear();
        _document = default;
        _split = default;
        _hasDocument = false;
        SkipsUnchanged = false;
        _resultId = default;
        _resultLowerId = default;
        _resultChangeVector = default;
        Etag = 0;
        LastModifiedTicks = 0;
        Flags = DocumentFlags.None;
    }

    private void ResolveId(DocumentsWriter writer)
    {
        var id = _inputs.Slice(_id);
        if (!id.IsEmpty && id[^1] is not ((byte)'/' or (byte)'|'))
        {
            _resultId = _results.Append(id);
            _resultLowerId = _results.Append(_inputs.Slice(_lowerId));
            return;
        }
        var room = _results.GetSpan(Limits.MaxIdBytes + IdGenerator.MaxSuffixBytes);
        int length = IdGenerator.Generate(id, writer, room);
        if (length > Limits.MaxIdBytes)
            throw new InvalidDocumentIdException(
                $"The id that '{ShownText.Of(Encoding.UTF8.GetString(id))}' leads to is longer than {Limits.MaxIdBytes} bytes."
            );
        _resultId = new ByteRange(_results.Length, length);
        _results.Advance(length);
        var lowerRoom = _results.GetSpan(DocumentId.MaxLowerBytes);
        int lowerLength = DocumentId.WriteLower(_results.Slice(_resultId), lowerRoom);
        _resultLowerId = new ByteRange(_results.Length, lowerLength);
        _results.Advance(lowerLength);
    }

    private bool IsUnchanged(DocumentRow existing)
    {
        var body = existing.Body;
        var head = BodyHead;
        return body.Length == head.Length + BodyTail.Length
            && body.StartsWith(head)
            && body[head.Length..].SequenceEqual(BodyTail)
            && existing.Metadata.SequenceEqual(_inputs.Slice(_split.Metadata));
    }

    private ByteRange WriteChangeVector(DocumentsWriter writer)
    {
        int length = writer.WriteChangeVector(Etag, _results.GetSpan(Ids.ChangeVector.MaxElementBytes));
        var range = new ByteRange(_results.Length, length);
        _results.Advance(length);
        return range;
    }

    [DoesNotReturn]
    private void ThrowCollectionMismatch(ReadOnlySpan<byte> existing) =>
        throw new DocumentCollectionMismatchException(
            Encoding.UTF8.GetString(Id),
            Encoding.UTF8.GetString(existing),
            Encoding.UTF8.GetString(Collection)
        );

    private static void CheckSize(long bytes, Limits limits)
    {
        if (bytes > limits.MaxDocumentBytes)
            throw new TooLargeException("The document (bytes)", bytes, limits.MaxDocumentBytes, "Limits.MaxDocumentSizeInMb");
    }
}
