using System.Globalization;
using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Tasks;

/// <summary>
/// Deletes documents that a task has dealt with, each only if it still is as the task saw it, and notes each deletion under a key
/// of the task's in the same transaction,
/// so that the task knows its own deletions again. Documents that have changed or gone are left alone. Not pooled.
/// </summary>
public sealed class DeleteIfUnchangedOperation : MergedOperation
{
    private static readonly byte[] s_note = [1];

    private readonly string _notePrefix;
    private readonly List<(DeleteCommand Command, byte[] ChangeVector)> _documents = [];
    private long _size;

    /// <param name="notePrefix">What <see cref="NoteKey"/> begins with.</param>
    public DeleteIfUnchangedOperation(string notePrefix)
    {
        ArgumentNullException.ThrowIfNull(notePrefix);
        _notePrefix = notePrefix;
    }

    /// <summary>Documents to be deleted.</summary>
    public int Count => _documents.Count;

    /// <inheritdoc />
    public override long SizeBytes => _size;

    /// <summary>Those that were deleted. A result.</summary>
    public int Deleted { get; private set; }

    /// <summary>The key of the note about the deletion with an etag; in the order of etags.</summary>
    public static string NoteKey(string notePrefix, long etag) => string.Create(CultureInfo.InvariantCulture, $"{notePrefix}{etag:D19}");

    /// <param name="id">Of the document.</param>
    /// <param name="changeVector">That it must have.</param>
    public void Add(string id, string changeVector)
    {
        var command = new DeleteCommand();
        command.SetId(id);
        byte[] expected = Encoding.UTF8.GetBytes(changeVector);
        _documents.Add((command, expected));
        _size += command.SizeBytes + expected.Length;
    }

    internal override void Execute(DocumentsWriter writer)
    {
        Deleted = 0;
        foreach (var (command, changeVector) in _documents)
        {
            if (!writer.TryGet(command.LowerId, out var document, out _) || !document.ChangeVector.SequenceEqual(changeVector))
                continue;
            command.Execute(writer);
            writer.SetTaskValue(Encoding.UTF8.GetBytes(NoteKey(_notePrefix, command.Etag)), s_note);
            Deleted++;
        }
    }
}
