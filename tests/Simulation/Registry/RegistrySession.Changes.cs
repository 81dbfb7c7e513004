using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Registry;
using Jackdaw.Simulation.Following;
using Jackdaw.Simulation.Merging;

namespace Jackdaw.Simulation.Registry;

/// <summary>Changes of the registry, one after another. Each goes on when chance says so; what it waits for is answered in its own
/// time.</summary>
internal sealed partial class RegistrySession
{
    private static readonly string[] s_missing = ["a", "b", "c", "d"];

    private IEnumerator<SimulatedRegistryChange?>? _change;
    private SimulatedRegistryChange? _awaited;
    private int _operations;

    /// <summary>The next step of the change that is under way; where there is none, an index that has caught up takes the place of those
    /// that it replaces.</summary>
    private void GoOn()
    {
        if (_change is null && _open.Values.FirstOrDefault(index => IsReady(index)) is { } ready)
            Begin(() => Swap(ready));
        if (_change is not { } change || _awaited is { IsAnswered: false })
            return;
        var isRefused = _awaited is { AnsweredWith: not null };
        _awaited = null;
        if (isRefused || !change.MoveNext())
        {
            _change = null;
            return;
        }
        _awaited = change.Current;
        if (_awaited is not null && !_session.Submit(_awaited))
            (_change, _awaited) = (null, null);
    }

    private static bool IsReady(OpenIndex index) => index.Record.Replaces.Count > 0 && index.Session.HasCaughtUp;

    private void Begin(Func<IEnumerable<SimulatedRegistryChange?>> change)
    {
        if (_change is null)
            (_change, _awaited) = (change().GetEnumerator(), null);
    }

    private void BeginOfOne(Func<OpenIndex, IEnumerable<SimulatedRegistryChange?>> change)
    {
        if (One() is { } index)
            Begin(() => change(index));
    }

    /// <summary>A query wants fields that no index has: those of all indexes of the collection come along.</summary>
    private IEnumerable<SimulatedRegistryChange?> Make()
    {
        var wanted = NextWanted();
        if (_open.Count >= MostIndexes || _open.Values.Any(index => AutoIndexDefinitions.Covers(index.Record.Definition, wanted)))
            yield break;
        var replaced = _open
            .Values.Where(index => AutoIndexDefinitions.IsOfSameCollection(index.Record.Definition, wanted))
            .Select(index => index.Record)
            .ToArray();
        var merged = replaced.Aggregate(
            AutoIndexDefinitions.Canonical(wanted),
            (all, one) => AutoIndexDefinitions.Merge(one.Definition, all)
        );
        var id = SimulatedIndex.NextGuid(_random);
        var record = new IndexRecord
        {
            InstanceId = id,
            Name = $"{AutoIndexDefinitions.Name(merged)}-{id:N}",
            Definition = merged,
            LowerBound = _session.LastDurableEtag(),
            CreatedTicks = _history.Clock.GetUtcNow().UtcTicks,
            Replaces = [.. replaced.Select(one => one.InstanceId)],
        };
        yield return Change(new ChangeIndexesOperation().Put(record), "make an index", [record], []);
        Add(record);
    }

    /// <summary>Mostly a field more of a collection that has an index. Some fields are in no document.</summary>
    private AutoIndexDefinition NextWanted()
    {
        if (One() is { } index && _random.Next(4) > 0)
            return new AutoIndexDefinition(
                index.Record.Definition.Collection,
                [new AutoIndexField(s_missing[_random.Next(s_missing.Length)])]
            );
        var wanted = SimulatedIndex.NextDefinition(_random);
        return _random.Coin() ? wanted : wanted with { Fields = [wanted.Fields[_random.Next(wanted.Fields.Count)]] };
    }

    private IEnumerable<SimulatedRegistryChange?> Swap(OpenIndex index)
    {
        var session = index.Session;
        var position = session.Position;
        var replaced = index.Record.Replaces.Where(_open.ContainsKey).Select(id => _open[id].Record).ToArray();
        var swap = new IndexSwap(index.Record, replaced, _history.Planted);
        foreach (var step in swap.Steps)
        {
            switch (step)
            {
                case IndexSwapStep.MakeDurable:
                    while (session.DurablePosition < position)
                    {
                        // What was taken back is read again first.
                        if (session.Position < position)
                            yield break;
                        session.Try(session.MakeDurable);
                        yield return null;
                    }
                    break;
                case IndexSwapStep.DeleteFolders:
                    foreach (var former in replaced)
                    {
                        _open[former.InstanceId].Session.CloseInOrder();
                        DeleteFolder(former);
                        yield return null;
                    }
                    break;
                case IndexSwapStep.ChangeRecords:
                    _history.NoteSwap(index.Record.InstanceId, position);
                    yield return Change(swap.Operation(), "swap", [swap.Record], swap.Replaced);
                    Adopt(swap.Record);
                    session.Index.LivesFrom = position;
                    _history.Counts.Swaps++;
                    break;
                default:
                    foreach (var former in replaced)
                    {
                        yield return null;
                        Drop(former);
                    }
                    break;
            }
        }
    }

    /// <summary>The index is built again, in another folder.</summary>
    private IEnumerable<SimulatedRegistryChange?> Rebuild(OpenIndex index)
    {
        var former = index.Record;
        var record = former with { InstanceId = SimulatedIndex.NextGuid(_random), LowerBound = _session.LastDurableEtag() };
        var others = Replacing(former).Select(other => other.WithReplaced(former.InstanceId, record.InstanceId)).ToArray();
        var operation = new ChangeIndexesOperation().Remove(former).Put(record);
        foreach (var other in others)
            operation.Put(other);
        yield return Change(operation, "build again", [record, .. others], [former]);
        foreach (var other in others)
            Adopt(other);
        Drop(former);
        Add(record);
    }

    private IEnumerable<SimulatedRegistryChange?> Remove(OpenIndex index)
    {
        var others = Replacing(index.Record).Select(other => other.WithoutReplaced(index.Record.InstanceId)).ToArray();
        var operation = new ChangeIndexesOperation().Remove(index.Record);
        foreach (var other in others)
            operation.Put(other);
        yield return Change(operation, "remove", others, [index.Record]);
        foreach (var other in others)
            Adopt(other);
        Drop(index.Record);
    }

    private IEnumerable<IndexRecord> Replacing(IndexRecord record) =>
        _open.Values.Select(other => other.Record).Where(other => other.Replaces.Contains(record.InstanceId));

    private SimulatedRegistryChange Change(
        ChangeIndexesOperation operation,
        string what,
        IReadOnlyList<IndexRecord> puts,
        IReadOnlyList<IndexRecord> removals
    ) =>
        new(operation, what)
        {
            Number = --_operations,
            Puts = puts,
            Removals = removals,
            RefusesItselfAt = FaultPoint(),
        };

    private int? FaultPoint() => _random.OneIn(12) ? _random.Next(4) : null;
}
