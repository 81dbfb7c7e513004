using System.Text;
using Jackdaw.Documents.Buffers;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Commands;

/// <summary>One write of one document (or of the documents under a prefix), as part of a <see cref="BatchOperation"/>.</summary>
public abstract class DocumentCommand
{
    /// <summary>Bytes of memory that a command takes beside its inputs: the object, its results, its place in the batch.</summary>
    private const int FixedBytes = 512;

    private protected CommandBuffer _inputs;
    private protected CommandBuffer _results;
    private protected ByteRange _id;
    private protected ByteRange _lowerId;
    private protected ByteRange _expectedChangeVector;
    private protected Expectation _expectation;

    private protected DocumentCommand() { }

    /// <summary>Bytes that it keeps for its next use, with itself.</summary>
    internal virtual long KeptBytes => FixedBytes + _inputs.Capacity + _results.Capacity;

    /// <summary>Bytes held while it waits.</summary>
    public abstract long SizeBytes { get; }

    /// <summary>Bytes of memory that the command takes beside what it refers to: what a batch of many small commands costs.</summary>
    public virtual long MemoryBytes => FixedBytes + _inputs.Capacity;

    /// <summary>
    /// Null: no check (the default). Empty: the document must not exist. Otherwise it must have exactly this change vector; text that
    /// is not a change vector matches no document, so the command fails with <see cref="ConcurrencyException"/> when it is executed.
    /// </summary>
    public void SetExpectedChangeVector(string? changeVector)
    {
        if (string.IsNullOrEmpty(changeVector))
        {
            _expectation = changeVector is null ? Expectation.None : Expectation.Absent;
            return;
        }
        _expectation = Ids.ChangeVector.IsValid(changeVector) ? Expectation.Exact : Expectation.Unparsable;
        var kept = changeVector.AsSpan(0, Math.Min(changeVector.Length, Limits.MaxChangeVectorBytes));
        var bytes = _inputs.GetSpan(Encoding.UTF8.GetMaxByteCount(kept.Length));
        int length = Encoding.UTF8.GetBytes(kept, bytes);
        _expectedChangeVector = new ByteRange(_inputs.Length, length);
        _inputs.Advance(length);
    }

    internal abstract void Execute(DocumentsWriter writer);

    /// <summary>Back to how a new one is.</summary>
    internal virtual void Clear()
    {
        _inputs.Clear();
        _results.Clear();
        _id = default;
        _lowerId = default;
        _expectedChangeVector = default;
        _expectation = Expectation.None;
    }

    /// <summary>Text to the UTF-8 of an id, refusing half surrogate pairs and what is too long.</summary>
    private protected ByteRange AppendText(ReadOnlySpan<char> text)
    {
        // Three bytes of UTF-8 for each character at most: a small id takes a small buffer.
        int room = (int)Math.Min(text.Length * 3L, Limits.MaxIdBytes);
        int length = DocumentId.WriteUtf8(text, _inputs.GetSpan(room)[..room]);
        var range = new ByteRange(_inputs.Length, length);
        _inputs.Advance(length);
        return range;
    }

    /// <summary>The id in <see cref="_id"/> is checked and lower-cased, so that the merger need not.</summary>
    private protected void PrepareId()
    {
        DocumentId.Validate(_inputs.Slice(_id));
        // The span is taken first: taking it may move the id's bytes.
        var room = _inputs.GetSpan(DocumentId.MaxLowerLength(_id.Length));
        int length = DocumentId.WriteLower(_inputs.Slice(_id), room);
        _lowerId = new ByteRange(_inputs.Length, length);
        _inputs.Advance(length);
    }

    /// <summary>Throws <see cref="ConcurrencyException"/> unless the document is as expected.</summary>
    private protected void CheckExpectation(ReadOnlySpan<byte> id, bool exists, ReadOnlySpan<byte> actual)
    {
        bool asExpected = _expectation switch
        {
            Expectation.None => true,
            Expectation.Absent => !exists,
            Expectation.Unparsable => false,
            _ => exists && actual.SequenceEqual(_inputs.Slice(_expectedChangeVector)),
        };
        if (asExpected)
            return;
        throw new ConcurrencyException(
            Encoding.UTF8.GetString(id),
            Ids.ChangeVector.Text(_inputs.Slice(_expectedChangeVector)),
            exists ? Ids.ChangeVector.Text(actual) : null,
            _expectation == Expectation.Unparsable
        );
    }

    private protected enum Expectation
    {
        None,
        Absent,
        Exact,
        Unparsable,
    }
}
