using System.Globalization;
using System.Text;
using Jackdaw.Documents.Rooms;

namespace Jackdaw.Etl.Values;

/// <summary>
/// Deletes documents that a task has dealt with, each only if it still is as the task saw it, and notes each deletion under a key
/// of the task's in the same transaction,
/// so that the task knows its own deletions again. Documents that have changed or gone are left alone. Not pooled.
/// </summary>
internal sealed class DeleteIfUnchangedOperation : RoomOperation
{
    private static readonly byte[] s_note = [1];

    private readonly string _notePrefix;
    private readonly List<(string Id, byte[] ChangeVector)> _documents = [];
    private long _size;

    /// <param name="notePrefix">What <see cref="NoteKey"/> begins with.</param>
    public DeleteIfUnchangedOperation(string notePrefix)
        : base(EtlRoom.Instance)
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
        byte[] expected = Encoding.UTF8.GetBytes(changeVector);
        _documents.Add((id, expected));
        _size += (2 * id.Length) + expected.Length;
    }

    /// <inheritdoc/>
    protected override void Execute(RoomWriter writer)
    {
        Deleted = 0;
        foreach (var (id, changeVector) in _documents)
        {
            if (writer.DeleteIfUnchanged(id, changeVector) is not { } etag)
                continue;
            writer.SetValue(Encoding.UTF8.GetBytes(NoteKey(_notePrefix, etag)), s_note);
            Deleted++;
        }
    }
}
