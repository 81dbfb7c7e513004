using Jackdaw.Indexing.Definitions;

namespace Jackdaw.Indexing.Processes;

/// <summary>Queries that need another automatic index at the same time get one index together: each one that is built beside another would
/// be thrown away by the next.</summary>
public sealed partial class DatabaseIndexes
{
    /// <summary>What queries wait for, by collection; guarded by the lock.</summary>
    private readonly Dictionary<string, Gathering> _gatherings = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Waits until there is an index for it, which others may share.</summary>
    private async Task<Index> GatherAsync(AutoIndexDefinition wanted, CancellationToken cancellation)
    {
        while (true)
        {
            try
            {
                await Join(wanted).WaitAsync(cancellation).ConfigureAwait(false);
            }
            catch (Exception) when (FindAutomatic(wanted) is not null)
            {
                // What was refused was another one's.
            }
            // One that was made may have been deleted by now.
            if (FindAutomatic(wanted) is { } index)
                return index;
        }
    }

    private Task Join(AutoIndexDefinition wanted)
    {
        string collection = wanted.Collection ?? "";
        lock (_lock)
        {
            if (_gatherings.TryGetValue(collection, out var others))
            {
                others.Wanted.Add(wanted);
                return others.Made;
            }
            var gathering = new Gathering(wanted);
            _gatherings.Add(collection, gathering);
            gathering.Made = MakeGatheredAsync(collection, gathering);
            Track(gathering.Made.ContinueWith(static _ => { }, TaskScheduler.Default));
            return gathering.Made;
        }
    }

    private async Task MakeGatheredAsync(string collection, Gathering gathering)
    {
        // Not under the lock of the caller.
        await Task.Yield();
        try
        {
            // The first index of a collection replaces nothing, and waits for nobody.
            if (_all.Any(index => CanBeMerged(index, gathering.First)))
                await Task.Delay(_processes.Options.MergeDelay, _processes.Options.Clock, _database.Closing).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            Take(collection, gathering);
            throw _database.Unavailable();
        }
        try
        {
            await ChangeAsync(async () =>
                {
                    foreach (var together in Together(Take(collection, gathering)))
                        await EnsureAsync(together).ConfigureAwait(false);
                    return true;
                })
                .ConfigureAwait(false);
        }
        finally
        {
            Take(collection, gathering);
        }
    }

    /// <summary>Whoever comes from now on gathers anew.</summary>
    private List<AutoIndexDefinition> Take(string collection, Gathering gathering)
    {
        lock (_lock)
        {
            if (_gatherings.GetValueOrDefault(collection) == gathering)
                _gatherings.Remove(collection);
            return gathering.Wanted;
        }
    }

    /// <summary>As few definitions as the limits on one allow.</summary>
    private IEnumerable<AutoIndexDefinition> Together(IReadOnlyList<AutoIndexDefinition> wanted)
    {
        AutoIndexDefinition? together = null;
        foreach (var one in wanted.Where(one => FindAutomatic(one) is null))
        {
            var larger = together is null ? one : AutoIndexDefinitions.Merge(together, one);
            if (together is not null && !IsWithinLimits(larger))
            {
                yield return together;
                larger = one;
            }
            together = larger;
        }
        if (together is not null)
            yield return together;
    }

    private static bool IsWithinLimits(AutoIndexDefinition definition) =>
        definition.Fields.Count <= IndexingLimits.MaxMergedFields
        && AutoIndexDefinitions.Name(definition).Length <= IndexingLimits.MaxNameLength;

    private sealed class Gathering(AutoIndexDefinition first)
    {
        public AutoIndexDefinition First => first;

        /// <summary>Guarded by the lock until it is taken.</summary>
        public List<AutoIndexDefinition> Wanted { get; } = [first];

        public Task Made { get; set; } = Task.CompletedTask;
    }
}
