using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Hosting;
using Jackdaw.Indexing;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Mapping.Automatic;
using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Registry;
using Jackdaw.Simulation.Histories;
using Jackdaw.Simulation.Medium;
using Jackdaw.Simulation.Merging;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Simulation.Following;

/// <summary>An index of the simulated database: what outlives every crash, and what was told of it.</summary>
internal sealed class SimulatedIndex
{
    private readonly MergerHistory _history;
    private readonly string _folder = "index";
    private readonly TimeSpan _journalInterval;
    private readonly int _recordBytes;

    /// <summary>The only one of a history.</summary>
    public SimulatedIndex(MergerHistory history, PlantedIndexFault planted)
        : this(history, planted, NextGuid(history.Random), NextDefinition(history.Random)) { }

    /// <summary>One that the registry names, in a folder of its own.</summary>
    public SimulatedIndex(MergerHistory history, PlantedIndexFault planted, IndexRecord record)
        : this(history, planted, record.InstanceId, record.Definition)
    {
        _folder = record.Folder;
        Consumer = record.Consumer;
        LowerBound = record.LowerBound;
    }

    /// <summary>One of the same definition, without a mistake.</summary>
    public SimulatedIndex(MergerHistory history, AutoIndexDefinition definition)
    {
        _history = history;
        Definition = definition;
    }

    private SimulatedIndex(MergerHistory history, PlantedIndexFault planted, Guid instanceId, AutoIndexDefinition definition)
    {
        _history = history;
        Planted = planted;
        InstanceId = instanceId;
        Definition = definition;
        _journalInterval = TimeSpan.FromMilliseconds(history.Random.Next(1, 200));
        _recordBytes = 12 << (10 + history.Random.Next(4));
    }

    /// <summary>Of one collection, of one that documents come to by moving, of all, or of events.</summary>
    public static AutoIndexDefinition NextDefinition(SimulatedRandom random)
    {
        var collection = random.Next(5) switch
        {
            0 => null,
            1 => "Late",
            2 => "Orders",
            3 => EventsRoom.Collection,
            _ => "Users",
        };
        var before = collection == EventsRoom.Collection ? "payload." : "";
        return new AutoIndexDefinition(
            collection,
            [new AutoIndexField(before + "n"), new AutoIndexField(before + "t", HasSearch: random.Coin())]
        );
    }

    public PlantedIndexFault Planted { get; }

    public Guid InstanceId { get; }

    public AutoIndexDefinition Definition { get; }

    /// <summary>As the registry keeps it: everything up to here is durably in the folder.</summary>
    public long LowerBound { get; set; }

    /// <summary>As the documents know it among those that hold deletions back.</summary>
    public string Consumer { get; } = "index";

    /// <summary>The position with which it took the place of others: it never falls behind that. 0: it has replaced none.</summary>
    public long LivesFrom { get; set; }

    /// <summary>The highest position that was called durable.</summary>
    public long DurablePosition { get; private set; }

    public void BecomeDurable(long position) => DurablePosition = Math.Max(DurablePosition, position);

    public bool Wants(string collection) =>
        Definition.Collection is { } own
            ? own.Equals(collection, StringComparison.OrdinalIgnoreCase)
            : !collection.Equals(EventsRoom.Collection, StringComparison.OrdinalIgnoreCase);

    /// <summary>Opens its environment, making it where there is none.</summary>
    public StorageEnvironment Open(SimulatedDisk disk)
    {
        var slash = _folder.LastIndexOf('/');
        if (slash > 0)
        {
            disk.CreateDirectory(_folder[..slash]);
            disk.SyncDirectory("");
        }
        disk.CreateDirectory(_folder);
        disk.SyncDirectory(slash > 0 ? _folder[..slash] : "");
        return StorageEnvironment.Open(
            new FolderDisk(disk, _folder),
            SideEnvironments.Options(_history.NextOptions(), _folder, isInMemory: false) with
            {
                MayCreate = true,
                MaxTransactionBytes = 16 << 20,
                MaxScratchBytes = 64 << 20,
                LazyJournalInterval = _journalInterval,
                LazyRecordBytes = _recordBytes,
            }
        );
    }

    /// <summary>What brings it forward.</summary>
    public IndexFollowing Follow(FollowedDocuments documents) =>
        new(
            documents,
            Definition.Collection is { } collection ? [collection] : [],
            new PickyMap(AutomaticKind.Instance.Compile(Definition)),
            new IndexErrors(_history.Clock),
            new IndexCounters(),
            new IndexingOptions { Clock = _history.Clock, Planted = Planted }
        );

    /// <summary>
    /// The index never claims to be fresher than it is: up to its position it holds what the documents say, and nothing that was deleted
    /// there.
    /// </summary>
    /// <param name="index">Opened before the documents.</param>
    /// <param name="documents">What the documents are.</param>
    public void RequireTrue(Jackdaw.Indexing.Contents.IIndexContentReader index, DatabaseState documents)
    {
        var position = IndexProgress.Read(index).Position;
        var contents = IndexContents.Read(index.Search);
        var wanted = Wanted(documents);
        foreach (var document in wanted.Values.Where(document => document.Etag <= position))
            IndexContents.RequireMapped(document, contents.GetValueOrDefault(document.Source), Definition, position);
        foreach (var source in contents.Keys)
            OracleException.Require(
                wanted.ContainsKey(source) || IsDeletedAfter(source, documents, position),
                $"the index at {position} holds '{source}', which is gone, and no deletion of it is to be seen any more"
            );
    }

    /// <summary>What the documents hold for it, by source.</summary>
    private Dictionary<string, IndexedSource> Wanted(DatabaseState documents) =>
        IsOfEvents
            ? documents
                .Events.Visible.Select(stored => IndexedSource.Of(documents.Events.DocumentIdOf(stored), stored))
                .ToDictionary(source => source.Source, StringComparer.Ordinal)
            : documents
                .Documents.Where(document => Wants(document.Value.Collection))
                .Select(document => IndexedSource.Of(document.Key, document.Value))
                .ToDictionary(source => source.Source, StringComparer.Ordinal);

    /// <summary>What the index still holds of it goes when it reads on.</summary>
    private bool IsDeletedAfter(string source, DatabaseState documents, long position) =>
        IsOfEvents
            ? documents.Events.Deletions.Any(deletion =>
                deletion.Etag > position
                && documents
                    .Events.Streams[deletion.Stream]
                    .Events.Values.Any(stored => stored.Number <= deletion.To && documents.Events.DocumentIdOf(stored) == source)
            )
            : documents.Tombstones.Values.Any(tombstone =>
                tombstone.Etag > position && Wants(tombstone.Collection) && tombstone.Id.Equals(source, StringComparison.OrdinalIgnoreCase)
            );

    private bool IsOfEvents => Definition.Collection == EventsRoom.Collection;

    /// <summary>What is wrong is what the disk was told to do wrong.</summary>
    public bool IsTheDisks(Exception? error) =>
        error switch
        {
            DiskException disk => _history.MayFail(disk),
            // The disk that was full then may have room by now.
            RolledBackException { InnerException: DiskFullException } => true,
            EnvironmentPoisonedException or CommitOutcomeUnknownException or RolledBackException => IsTheDisks(error.InnerException),
            _ => false,
        };

    public static Guid NextGuid(SimulatedRandom random)
    {
        Span<byte> bytes = stackalloc byte[16];
        random.NextBytes(bytes);
        return new Guid(bytes);
    }
}
