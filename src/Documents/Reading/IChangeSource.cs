using Jackdaw.Documents.Watching;

namespace Jackdaw.Documents.Reading;

/// <summary>Changes of one kind in etag order, one after another: what a <see cref="ChangeCursor"/> merges.</summary>
internal interface IChangeSource
{
    /// <summary>Of what kind all of them are.</summary>
    ChangeKinds Kind { get; }

    /// <summary>The etag of the one moved to. No other source of the database has it.</summary>
    long CurrentEtag { get; }

    /// <summary>The one moved to; valid until the next move.</summary>
    DocumentChange CurrentChange { get; }

    /// <summary>Moves to the next; false at the end, and not called again then.</summary>
    bool MoveNext();
}
