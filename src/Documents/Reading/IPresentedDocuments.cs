namespace Jackdaw.Documents.Reading;

/// <summary>
/// What a room presents as documents of a collection of its own: events. Only those who name the collection, or an id in it, see them;
/// they are made as they are read. Ends with its <see cref="DocumentsReader"/>.
/// </summary>
internal interface IPresentedDocuments : IDisposable
{
    /// <summary>Rows on disk, those that are deleted and not removed yet included; changes of both kinds.</summary>
    CollectionStatistics Statistics { get; }

    /// <summary>The highest etag of a change, of forgotten ones too.</summary>
    long LastChange { get; }

    /// <summary>How many are not deleted; null: telling it takes a scan.</summary>
    long? Count { get; }

    /// <summary>Finds one by its id in lower case.</summary>
    /// <param name="lowerId">The id.</param>
    /// <param name="deletedToo">Also when it is deleted, as long as it is on disk.</param>
    /// <param name="document">Valid until the reader ends.</param>
    bool TryGet(scoped ReadOnlySpan<byte> lowerId, bool deletedToo, out Document document);

    /// <summary>In etag order, above an etag.</summary>
    IPresentedCursor ByEtag(long afterEtag);

    /// <summary>In the order of ids.</summary>
    /// <param name="lowerPrefix">What the ids begin with, in lower case.</param>
    /// <param name="lowerStart">Those behind it in the order that is asked for; empty: all.</param>
    /// <param name="isDescending">From the last to the first.</param>
    IPresentedCursor ById(ReadOnlySpan<byte> lowerPrefix, ReadOnlySpan<byte> lowerStart, bool isDescending);

    /// <summary>What was written above an etag, what is deleted by now included, as long as it is on disk.</summary>
    IChangeSource Written(long afterEtag);

    /// <summary>What was deleted above an etag, one by one.</summary>
    IChangeSource Deleted(long afterEtag);

    /// <summary>Counts what <see cref="Written"/> shows.</summary>
    /// <param name="afterEtag">Not counted itself.</param>
    /// <param name="atMost">Entries counted at each side of it.</param>
    CountedChanges CountWritten(long afterEtag, int atMost);

    /// <summary>Counts what <see cref="Deleted"/> shows.</summary>
    /// <param name="afterEtag">Not counted itself.</param>
    /// <param name="atMost">Entries counted.</param>
    CountedChanges CountDeleted(long afterEtag, int atMost);
}
