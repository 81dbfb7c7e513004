using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Hosting;
using Jackdaw.Indexing;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Mapping.Automatic;
using Jackdaw.Indexing.Processes;
using Jackdaw.Simulation.Histories;
using Jackdaw.Simulation.Medium;
using Jackdaw.Simulation.Merging;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Simulation.Following;

/// <summary>An index of the simulated database: what outlives every crash, and what was told of it.</summary>
internal sealed class SimulatedIndex
{
    private const string Folder = "index";

    private readonly IndexHistory _history;
    private readonly TimeSpan _journalInterval;
    private readonly int _recordBytes;

    public SimulatedIndex(IndexHistory history, PlantedIndexFault planted)
    {
        _history = history;
        var random = history.Random;
        Planted = planted;
        InstanceId = NextGuid(random);
        // Of one collection, of one that documents come to by moving, and of all.
        var collection = random.Next(4) switch
        {
            0 => null,
            1 => "Late",
            2 => "Orders",
            _ => "Users",
        };
        Definition = new AutoIndexDefinition(collection, [new AutoIndexField("n"), new AutoIndexField("t", HasSearch: random.Coin())]);
        _journalInterval = TimeSpan.FromMilliseconds(random.Next(1, 200));
        _recordBytes = 12 << (10 + random.Next(4));
    }

    /// <summary>One of the same definition, without a mistake.</summary>
    public SimulatedIndex(IndexHistory history, AutoIndexDefinition definition)
    {
        _history = history;
        Definition = definition;
    }

    public PlantedIndexFault Planted { get; }

    public Guid InstanceId { get; }

    public AutoIndexDefinition Definition { get; }

    /// <summary>As the registry keeps it: everything up to here is durably in the folder.</summary>
    public long LowerBound { get; set; }

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
        disk.CreateDirectory(Folder);
        disk.SyncDirectory("");
        return StorageEnvironment.Open(
            new FolderDisk(disk, Folder),
            SideEnvironments.Options(_history.NextOptions(), Folder, isInMemory: false) with
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
        foreach (var (source, document) in documents.Documents)
        {
            if (Wants(document.Collection) && document.Etag <= position)
                IndexContents.RequireMapped(document, contents.GetValueOrDefault(source), position);
        }
        foreach (var source in contents.Keys)
        {
            var isToBeSeen =
                documents.Documents.TryGetValue(source, out var document) && Wants(document.Collection)
                || documents.Tombstones.Values.Any(tombstone =>
                    tombstone.Etag > position
                    && Wants(tombstone.Collection)
                    && tombstone.Id.Equals(source, StringComparison.OrdinalIgnoreCase)
                );
            OracleException.Require(
                isToBeSeen,
                $"the index at {position} holds '{source}', which is gone, and no deletion of it is to be seen any more"
            );
        }
    }

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

    private static Guid NextGuid(SimulatedRandom random)
    {
        Span<byte> bytes = stackalloc byte[16];
        random.NextBytes(bytes);
        return new Guid(bytes);
    }
}
