using Jackdaw.Documents.Reading;
using Jackdaw.Indexing;
using Jackdaw.Indexing.Registry;
using Jackdaw.Simulation.Following;
using Jackdaw.Simulation.Medium;
using Jackdaw.Simulation.Merging;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Simulation.Registry;

/// <summary>
/// One opening of the database as its indexes see it: the registry is read, folders that belong to no index go, and the others follow the
/// documents while one change of the registry after another is made, a step at a time.
/// </summary>
internal sealed partial class RegistrySession : ISessionCompanion
{
    private const int MostIndexes = 5;

    private readonly RegistryHistory _history;
    private readonly AccompaniedSession _session;
    private readonly SimulatedRandom _random;
    private readonly SimulatedDisk _disk;
    private readonly SortedDictionary<Guid, OpenIndex> _open = [];

    public RegistrySession(RegistryHistory history, AccompaniedSession session)
    {
        _history = history;
        _session = session;
        _random = history.Random;
        _disk = history.Disk;
        Load();
    }

    /// <summary>An index with its record as its owner knows it.</summary>
    private sealed record OpenIndex(IndexRecord Record, IndexSession Session);

    public IReadOnlyList<(string Name, Action Step)> Steps =>
        [
            ("index batch", () => RunStepOfOne("index batch")),
            ("index journal", () => RunStepOfOne("index journal")),
            ("index flush", () => RunStepOfOne("index flush")),
            ("index sync", () => RunStepOfOne("index sync")),
            ("index spare", () => RunStepOfOne("index spare")),
            ("index read", () => RunStepOfOne("index read")),
            ("index compare", () => RunStepOfOne("index compare")),
            (
                "registry goes on",
                () =>
                {
                    for (var i = _random.Next(3); i >= 0; i--)
                        GoOn();
                }
            ),
            ("registry makes", () => Begin(Make)),
            ("registry rebuilds", () => BeginOfOne(Rebuild)),
            ("registry removes", () => BeginOfOne(Remove)),
            ("registry bound", RaiseBound),
        ];

    /// <summary>Each index catches up, and is what a fresh build is.</summary>
    public void CompareAll()
    {
        foreach (var index in _open.Values)
        {
            var compared = _history.Counts.IndexesCompared;
            for (var attempt = 0; attempt < 3 && _history.Counts.IndexesCompared == compared; attempt++)
                index.Session.Try(index.Session.CatchUpAndCompare);
            OracleException.Require(
                _history.Counts.IndexesCompared > compared,
                $"'{index.Record.Name}' does not catch up on a disk that does nothing wrong"
            );
        }
    }

    public void CloseInOrder()
    {
        _change = null;
        foreach (var index in _open.Values)
            index.Session.CloseInOrder();
    }

    public void Dispose()
    {
        foreach (var index in _open.Values)
            index.Session.Dispose();
    }

    /// <summary>As the owner of the indexes does while the database opens.</summary>
    private void Load()
    {
        IReadOnlyList<IndexRecord> records;
        using (var reader = new DocumentsReader(_session.Documents.BeginRead("indexes"), null, present: MergerSession.EventsOf))
            records = IndexesRoom.Records(
                reader.Of(IndexesRoom.Instance),
                (id, problem) => throw new OracleException($"the record of index {id} cannot be read: {problem}")
            );
        foreach (
            var orphan in IndexesRoom.Orphans(_disk.FoldersIn(IndexesRoom.Folder), records, new HashSet<Guid>(), _history.Planted).ToArray()
        )
            _disk.DeleteFolder($"{IndexesRoom.Folder}/{orphan}");
        foreach (var folder in _disk.FoldersIn(IndexesRoom.Folder))
            OracleException.Require(
                records.Any(record => record.InstanceId.ToString("N") == folder),
                $"the folder {folder} belongs to no index, and is there after the database was opened"
            );
        foreach (var record in records)
        {
            Add(record);
            // Whether or not anybody was told of it, the swap has happened.
            if (record.Replaces.Count == 0)
                _open[record.InstanceId].Session.Index.LivesFrom = _history.SwappedAt(record.InstanceId);
        }
    }

    private void Add(IndexRecord record)
    {
        var index = _history.Known(record);
        var session = new IndexSession(_history, index, new SimulatedIndex(_history, record.Definition), _session);
        _open.Add(record.InstanceId, new OpenIndex(record, session));
    }

    private void Adopt(IndexRecord record) => _open[record.InstanceId] = _open[record.InstanceId] with { Record = record };

    /// <summary>It ends, and its folder goes. One that the disk keeps is an orphan, which goes when the database opens.</summary>
    private void Drop(IndexRecord record)
    {
        if (!_open.Remove(record.InstanceId, out var index))
            return;
        index.Session.CloseInOrder();
        index.Session.Forget();
        DeleteFolder(record);
    }

    private void DeleteFolder(IndexRecord record)
    {
        try
        {
            _disk.DeleteFolder(record.Folder);
        }
        catch (DiskException refused) when (_history.IsTheDisks(refused))
        {
            _history.Counts.Refusals++;
        }
    }

    private OpenIndex? One() => _open.Count == 0 ? null : _open.Values.ElementAt(_random.Next(_open.Count));

    private void RunStepOfOne(string name)
    {
        if (One() is { } index)
            index.Session.Steps.First(step => step.Name == name).Step();
    }

    /// <summary>The registry learns now and then how far an index is.</summary>
    private void RaiseBound()
    {
        if (One() is not { } index || index.Session.DurablePosition == 0)
            return;
        var (id, etag) = (index.Record.InstanceId, index.Session.DurablePosition);
        _session.Submit(
            new SimulatedRegistryChange(new ChangeIndexesOperation().SetLowerBound(id, etag), $"bound of {id} to {etag}")
            {
                Number = --_operations,
                Bound = (id, etag),
                RefusesItselfAt = FaultPoint(),
            }
        );
    }
}
