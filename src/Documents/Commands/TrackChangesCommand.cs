using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Commands;

/// <summary>
/// Documents that a batch was computed from without writing them: each must still be in the version that was read, or the batch
/// is refused with
/// <see cref="Errors.ConcurrencyException"/>. Judged in its place: what the batch's earlier commands write counts.
/// </summary>
public sealed class TrackChangesCommand : DocumentCommand
{
    private readonly List<ExpectedDocument> _documents = [];
    private long _memoryBytes;

    internal TrackChangesCommand() { }

    /// <inheritdoc />
    public override long SizeBytes => _documents.Sum(document => document.SizeBytes);

    /// <inheritdoc/>
    public override long MemoryBytes => base.MemoryBytes + _memoryBytes;

    /// <summary>How many there are.</summary>
    public int Count => _documents.Count;

    /// <summary>One more document. Throws <see cref="Errors.OperationException"/> for a bad id or change vector.</summary>
    /// <param name="id">The document's.</param>
    /// <param name="expectedChangeVector">As <see cref="DocumentCommand.SetExpectedChangeVector"/>.</param>
    public void Add(string id, string? expectedChangeVector)
    {
        var document = new ExpectedDocument();
        document.SetId(id);
        document.SetExpectedChangeVector(expectedChangeVector);
        _documents.Add(document);
        _memoryBytes += document.MemoryBytes;
    }

    internal override void Execute(DocumentsWriter writer)
    {
        foreach (var document in _documents)
            document.Execute(writer);
    }

    internal override void Clear()
    {
        base.Clear();
        _documents.Clear();
        _memoryBytes = 0;
    }
}
