using Jackdaw.Documents.Buffers;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Commands;

/// <summary>Deletes a document, or every document whose id begins with a prefix. A document that is not there is no error unless
/// a change vector is expected.</summary>
public sealed class DeleteCommand : DocumentCommand
{
    private CommandBuffer _found;
    private ByteRange _resultChangeVector;

    internal DeleteCommand() { }

    /// <summary>The id, or with <see cref="IdPrefixed"/> the prefix. The bytes are copied.</summary>
    public void SetId(ReadOnlySpan<byte> utf8)
    {
        _id = _inputs.Append(utf8);
        PrepareId();
    }

    /// <inheritdoc cref="SetId(ReadOnlySpan{byte})"/>
    public void SetId(string id)
    {
        _id = AppendText(id);
        PrepareId();
    }

    /// <summary>Delete by prefix; a change vector cannot be expected then.</summary>
    public bool IdPrefixed { get; set; }

    /// <inheritdoc />
    public override long SizeBytes => _inputs.Length;

    /// <inheritdoc/>
    internal override long KeptBytes => base.KeptBytes + _found.Capacity;

    /// <summary>The id as it was given. </summary>
    public ReadOnlySpan<byte> Id => _inputs.Slice(_id);

    internal ReadOnlySpan<byte> LowerId => _inputs.Slice(_lowerId);

    /// <summary>Documents deleted. A result.</summary>
    public int DeletedCount { get; private set; }

    /// <summary>The change vector of the (last) deletion; empty when nothing was deleted. A result.</summary>
    public ReadOnlySpan<byte> ChangeVector => _results.Slice(_resultChangeVector);

    /// <summary>The etag of the (last) deletion; 0 when nothing was deleted. A result.</summary>
    public long Etag { get; private set; }

    internal override void Execute(DocumentsWriter writer)
    {
        Invariant.Require(!_id.IsEmpty);
        ForgetResults();
        DocumentsWriter.RefuseEvent(_inputs.Slice(_lowerId));
        if (!IdPrefixed)
        {
            DeleteOne(writer);
            return;
        }
        if (_expectation != Expectation.None)
            throw new InvalidChangeVectorException(Ids.ChangeVector.Text(_inputs.Slice(_expectedChangeVector)));
        while (writer.TryGetFirst(_inputs.Slice(_lowerId), out var document, out long etag))
            Delete(writer, document, etag);
    }

    internal override void Clear()
    {
        base.Clear();
        _found.Clear();
        IdPrefixed = false;
        ForgetResults();
    }

    private void ForgetResults()
    {
        _results.Clear();
        _resultChangeVector = default;
        DeletedCount = 0;
        Etag = 0;
    }

    private void DeleteOne(DocumentsWriter writer)
    {
        bool exists = writer.TryGet(_inputs.Slice(_lowerId), out var document, out long etag);
        CheckExpectation(Id, exists, exists ? document.ChangeVector : default);
        if (exists)
            Delete(writer, document, etag);
    }

    /// <summary>Deletes a version of a document: the one that the row is of.</summary>
    internal void Delete(DocumentsWriter writer, DocumentRow document, long documentEtag)
    {
        // The row lies in page memory, which the deletion takes away: what the tombstone needs is copied first.
        _found.Clear();
        var id = _found.Append(document.Id);
        var lowerId = _found.Append(document.LowerId);
        uint collectionId = document.CollectionId;
        Etag = writer.NextEtag();
        _results.Clear();
        int length = writer.WriteChangeVector(Etag, _results.GetSpan(Ids.ChangeVector.MaxElementBytes));
        _results.Advance(length);
        _resultChangeVector = new ByteRange(0, length);
        writer.Apply(
            new NewTombstone
            {
                Id = _found.Slice(id),
                LowerId = _found.Slice(lowerId),
                Etag = Etag,
                DocumentEtag = documentEtag,
                ChangeVector = ChangeVector,
                LastModifiedTicks = writer.NowTicks,
                Collection = writer.CollectionName(collectionId),
                CollectionId = collectionId,
            }
        );
        DeletedCount++;
    }
}
