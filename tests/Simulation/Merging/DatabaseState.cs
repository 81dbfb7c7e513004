using System.Collections.Immutable;
using Jackdaw.Documents;
using Jackdaw.Documents.Expiring;
using Jackdaw.Indexing.Registry;

namespace Jackdaw.Simulation.Merging;

/// <summary>
/// The whole of a database in plain collections: what a reader must see. Immutable, so that the state of every transaction stays
/// to be compared. Ids are ASCII
/// here, so the order of strings is the order of the stored keys.
/// </summary>
internal sealed record DatabaseState
{
    public static readonly DatabaseState Empty = new();

    /// <summary>By id in lower case.</summary>
    public ImmutableSortedDictionary<string, DocumentState> Documents { get; init; } =
        ImmutableSortedDictionary.Create<string, DocumentState>(StringComparer.Ordinal);

    /// <summary>By id in lower case and collection (<see cref="TombstoneKey"/>): a deletion belongs to a collection.</summary>
    public ImmutableSortedDictionary<string, TombstoneState> Tombstones { get; init; } =
        ImmutableSortedDictionary.Create<string, TombstoneState>(StringComparer.Ordinal);

    /// <summary>By name in lower case.</summary>
    public ImmutableSortedDictionary<string, CollectionState> Collections { get; init; } =
        ImmutableSortedDictionary.Create<string, CollectionState>(StringComparer.Ordinal);

    /// <summary>Last values handed out, by name in lower case with its bar.</summary>
    public ImmutableSortedDictionary<string, long> Identities { get; init; } =
        ImmutableSortedDictionary.Create<string, long>(StringComparer.Ordinal);

    /// <summary>How documents expire; null: they do not.</summary>
    public DueDocumentsSettings? Expiration { get; init; }

    /// <summary>How documents are refreshed; null: they are not.</summary>
    public DueDocumentsSettings? Refresh { get; init; }

    /// <summary>Event streams.</summary>
    public EventsState Events { get; init; } = EventsState.Empty;

    /// <summary>Snapshots of event streams.</summary>
    public SnapshotsState Snapshots { get; init; } = SnapshotsState.Empty;

    /// <summary>Records of indexes, by instance id.</summary>
    public ImmutableSortedDictionary<Guid, IndexRecord> Indexes { get; init; } = ImmutableSortedDictionary<Guid, IndexRecord>.Empty;

    /// <summary>The highest etag handed out: each change takes the next one, without gaps.</summary>
    public long LastEtag { get; init; }

    /// <summary>What is configured for a kind of date.</summary>
    public DueDocumentsSettings? Settings(DocumentDateKind kind) => kind == DocumentDateKind.Expires ? Expiration : Refresh;

    /// <summary>With another configuration for a kind of date.</summary>
    public DatabaseState With(DocumentDateKind kind, DueDocumentsSettings settings) =>
        kind == DocumentDateKind.Expires ? this with { Expiration = settings } : this with { Refresh = settings };

    /// <summary>The documents that something must happen to at a moment, the earliest first; none where that is not enabled.</summary>
    public IEnumerable<(string LowerId, DocumentState Document, long Ticks)> Due(DocumentDateKind kind, long nowTicks) =>
        Settings(kind) is not { Disabled: false }
            ? []
            : Documents
                .Select(document => (LowerId: document.Key, Document: document.Value, Ticks: document.Value.Due(kind) ?? long.MaxValue))
                .Where(due => due.Ticks <= nowTicks)
                .OrderBy(due => due.Ticks)
                .ThenBy(due => due.Document.Etag);

    /// <param name="id">In any casing.</param>
    /// <param name="collection">In any casing; that of its first write stays.</param>
    public DatabaseState Put(string id, string collection, string body, string metadata, long ticks)
    {
        var lower = id.ToLowerInvariant();
        var etag = LastEtag + 1;
        var before = Documents.GetValueOrDefault(lower);
        var name = before?.Collection ?? collection.ToLowerInvariant();
        var counters = Collections.GetValueOrDefault(name) ?? new CollectionState(collection);
        var collections = Collections.SetItem(
            name,
            counters with
            {
                Documents = counters.Documents + (before == null ? 1 : 0),
                LastDocumentEtag = etag,
            }
        );
        // Deletions in other collections stay to be told.
        if (Tombstones.ContainsKey(TombstoneKey(lower, name)))
            collections = collections.SetItem(name, WithTombstones(collections[name], -1));
        return this with
        {
            Documents = Documents.SetItem(lower, new DocumentState(before?.Id ?? id, etag, name, body, metadata, ticks)),
            Tombstones = Tombstones.Remove(TombstoneKey(lower, name)),
            Collections = collections,
            LastEtag = etag,
        };
    }

    /// <summary>The document must be there.</summary>
    public DatabaseState Delete(string lower, long ticks)
    {
        var document = Documents[lower];
        var etag = LastEtag + 1;
        var counters = Collections[document.Collection];
        return this with
        {
            Documents = Documents.Remove(lower),
            Tombstones = Tombstones.Add(
                TombstoneKey(lower, document.Collection),
                new TombstoneState(document.Id, etag, document.Etag, document.Collection, ticks)
            ),
            Collections = Collections.SetItem(
                document.Collection,
                counters with
                {
                    Documents = counters.Documents - 1,
                    Tombstones = counters.Tombstones + 1,
                    LastTombstoneEtag = etag,
                }
            ),
            LastEtag = etag,
        };
    }

    /// <param name="upToEtag">Given a collection in lower case, up to which etag its tombstones go.</param>
    public DatabaseState RemoveTombstones(Func<string, long> upToEtag)
    {
        var collections = Collections;
        var gone = Tombstones.Where(t => t.Value.Etag <= upToEtag(t.Value.Collection)).ToList();
        if (gone.Count == 0)
            return this;
        foreach (var (_, tombstone) in gone)
            collections = collections.SetItem(tombstone.Collection, WithTombstones(collections[tombstone.Collection], -1));
        return this with { Tombstones = Tombstones.RemoveRange(gone.Select(t => t.Key)), Collections = collections };
    }

    private static string TombstoneKey(string lowerId, string lowerCollection) => $"{lowerId}\0{lowerCollection}";

    private static CollectionState WithTombstones(CollectionState collection, int more) =>
        collection with
        {
            Tombstones = collection.Tombstones + more,
        };
}
