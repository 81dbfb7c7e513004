namespace Jackdaw.Documents.Reading;

/// <summary>Goes over the documents that a room presents (<see cref="IPresentedDocuments"/>).</summary>
internal interface IPresentedCursor
{
    /// <summary>The one moved to is deleted, or only marks a place: it is to be passed over.</summary>
    bool IsHidden { get; }

    /// <summary>The etag of the one moved to.</summary>
    long Etag { get; }

    /// <summary>The one moved to; valid until the next move.</summary>
    Document Current { get; }

    /// <summary>Moves to the next; false at the end.</summary>
    bool MoveNext();
}
