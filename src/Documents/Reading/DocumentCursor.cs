namespace Jackdaw.Documents.Reading;

/// <summary>Documents, one after another. Belongs to its <see cref="DocumentsReader"/> and must not outlive it.</summary>
public sealed class DocumentCursor
{
    internal DocumentCursor() { }

    /// <summary>Moves to the next; false at the end.</summary>
    public bool MoveNext() => throw new NotSupportedException();

    /// <summary>The one moved to; valid until the next move.</summary>
    public Document Current => throw new NotSupportedException();
}
