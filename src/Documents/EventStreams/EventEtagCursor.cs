using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Documents.EventStreams;

/// <summary>Events as documents, in the order of positions. A source of changes shows deleted ones like all others.</summary>
internal sealed class EventEtagCursor(EventCursor? events, EventDocument document) : IPresentedCursor, IChangeSource
{
    public bool IsHidden => events!.IsDeleted;

    public long Etag => events!.Position;

    public Document Current => document.Make(events!.Current);

    ChangeKinds IChangeSource.Kind => ChangeKinds.Documents;

    long IChangeSource.CurrentEtag => Etag;

    DocumentChange IChangeSource.CurrentChange => new() { Document = Current };

    public bool MoveNext() => events?.MoveNext() == true;
}
