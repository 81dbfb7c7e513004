using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Registry;
using Jackdaw.Search;

namespace Jackdaw.Indexing.Processes;

/// <summary>Automatic indexes: made from what queries want, extended by merging, retired when nobody uses them.</summary>
public sealed partial class DatabaseIndexes
{
    private readonly ITimer _idleTimer;

    /// <summary>
    /// Returns an automatic index that has all the fields, making or extending one if there is none; the answer comes when its
    /// definition is
    /// durable, not when it has caught up. The other automatic indexes of the collection are merged into a new one, which is built beside
    /// them and takes their place when it has caught up; other queries that come within <see cref="IndexingLimits.MergeDelay"/> share it.
    /// Errors: <see cref="TooManyIndexesException"/> (Limits.MaxAutoIndexes), <see cref="IndexLockedException"/>, a
    /// <see cref="FormatException"/> for a path that is malformed, and those of <see cref="Documents.Database.SubmitAsync"/>.
    /// </summary>
    public async Task<Index> EnsureAutomaticAsync(AutoIndexDefinition wanted, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(wanted);
        if (FindAutomatic(wanted) is { } found)
            return found;
        foreach (var field in wanted.Fields)
        {
            FieldPath.Parse(field.Path);
            if (System.Text.Encoding.UTF8.GetByteCount(AutoIndexDefinitions.SearchField(field.Path)) > SearchLimits.MaxFieldNameBytes)
                throw new FormatException(
                    $"The field path \"{field.Path[..60]}…\" is too long to be indexed: with 'search()' around it, it may have "
                        + $"{SearchLimits.MaxFieldNameBytes} bytes (SearchLimits.MaxFieldNameBytes)."
                );
        }
        return await GatherAsync(AutoIndexDefinitions.Canonical(wanted), cancellation).ConfigureAwait(false);
    }

    /// <summary>
    /// An automatic index that has all the fields; null: there is none yet. What a query looks at first. Prefers one that nothing keeps
    /// from answering, of those one that is not being built beside others, and of those one that is not paused. Counts as a use: an idle
    /// one follows the documents again.
    /// </summary>
    public Index? FindAutomatic(AutoIndexDefinition wanted)
    {
        ArgumentNullException.ThrowIfNull(wanted);
        Index? best = null;
        foreach (var index in _all)
        {
            if (AutoIndexDefinitions.Covers(index.Definition, wanted) && (best is null || Rank(index) < Rank(best)))
                best = index;
        }
        best?.NoteUsed();
        return best;
    }

    /// <summary>What keeps it from a fresh answer, the worst first: it cannot be read, it is being built beside others, it is paused, it
    /// sleeps.</summary>
    private static int Rank(Index index) =>
        (index.State is IndexState.Normal or IndexState.Idle ? 0 : 8)
        + (index.IsReplacement ? 4 : 0)
        + (index.IsPaused ? 2 : 0)
        + (index.State == IndexState.Idle ? 1 : 0);

    private async Task<Index> EnsureAsync(AutoIndexDefinition wanted)
    {
        if (FindAutomatic(wanted) is { } found)
            return found;
        if (_all.FirstOrDefault(index => IsLockedAgainst(index, wanted)) is { } locked)
            throw new IndexLockedException(locked.Name, string.Join(", ", wanted.Fields.Select(field => field.Path)));
        var merged = wanted;
        var replaced = new List<Index>();
        foreach (var index in _all.Where(index => CanBeMerged(index, wanted)))
        {
            // In this order: the collection stays spelled as it was at first.
            var larger = AutoIndexDefinitions.Merge(index.Definition, merged);
            if (!IsWithinLimits(larger))
                continue;
            merged = larger;
            replaced.Add(index);
        }
        string name = FreeName(AutoIndexDefinitions.Name(merged), replaced);
        if (_all.Count(index => index.IsAutomatic) - replaced.Count(index => !index.IsReplacement) >= _processes.Options.MaxAutoIndexes)
        {
            if (FindWithoutDocuments(wanted) is not { } empty)
                throw new TooManyIndexesException(_database.Name, name, _processes.Options.MaxAutoIndexes);
            await RemoveAsync(empty).ConfigureAwait(false);
            Log(empty.Name, $"Its collection has no documents, and it made room for '{name}' (Limits.MaxAutoIndexes).");
        }
        return await MakeAsync(
                new IndexRecord
                {
                    InstanceId = Guid.NewGuid(),
                    Name = name,
                    Definition = merged,
                    LowerBound = _database.LastDurableEtag,
                    Priority = replaced.Select(index => index.Priority).DefaultIfEmpty(IndexPriority.Normal).Max(),
                    CreatedTicks = _processes.Options.Clock.GetUtcNow().UtcTicks,
                    Replaces = [.. replaced.Select(index => index.InstanceId)],
                }
            )
            .ConfigureAwait(false);
    }

    /// <summary>Returns the automatic index, unused for the longest time, whose collection has no documents: a query with a misspelled
    /// collection makes such a one. One that an operator has locked or disabled stays, and so does one that a query used less than
    /// <see cref="IndexingLimits.QueryWait"/> ago: queries that wait would take each other's indexes in turns. Null: there is
    /// none.</summary>
    private Index? FindWithoutDocuments(AutoIndexDefinition wanted)
    {
        var clock = _processes.Options.Clock;
        using var documents = _database.OpenRead("room for an index");
        return _all.Where(index =>
                index.IsAutomatic
                && !index.IsReplacement
                && index.LockMode == IndexLockMode.Unlock
                && index.State != IndexState.Disabled
                && clock.GetElapsedTime(index.LastUsed) >= IndexingLimits.QueryWait
                && !AutoIndexDefinitions.IsOfSameCollection(index.Definition, wanted)
                && index.Definition.Collection is { } collection
                && documents.CountOf(collection) == 0
            )
            .MinBy(index => index.LastUsed);
    }

    /// <summary>Two indexes of paths that differ in casing alone would have one name: the later one gets a number.</summary>
    private string FreeName(string name, List<Index> replaced)
    {
        string free = name;
        for (
            int i = 2;
            _all.Any(index => !replaced.Contains(index) && string.Equals(index.Name, free, StringComparison.OrdinalIgnoreCase));
            i++
        )
            free = string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{name}-{i}");
        return free;
    }

    /// <summary>Those that an operator has switched off or locked, and those that nobody uses, are left alone.</summary>
    private static bool CanBeMerged(Index index, AutoIndexDefinition wanted) =>
        index.IsAutomatic
        && index.State == IndexState.Normal
        && index.LockMode == IndexLockMode.Unlock
        && AutoIndexDefinitions.IsOfSameCollection(index.Definition, wanted);

    private static bool IsLockedAgainst(Index index, AutoIndexDefinition wanted) =>
        index.IsAutomatic
        && index.LockMode == IndexLockMode.LockedError
        && AutoIndexDefinitions.IsOfSameCollection(index.Definition, wanted);

    /// <summary>Marks automatic indexes that nobody has used for long as idle, and deletes those that have been idle for long.</summary>
    internal void LookForIdle()
    {
        var options = _processes.Options;
        foreach (var index in _all)
        {
            if (_isClosing)
                return;
            var unused = options.Clock.GetElapsedTime(index.LastUsed);
            if (!index.IsAutomatic || index.IsReplacement || index.Record.State != IndexState.Normal)
                continue;
            if (index.IsIdle && unused >= options.DeleteIdleAfter)
                Begin(() => DeleteIdleAsync(index));
            else if (!index.IsIdle && unused >= options.IdleAfter)
            {
                index.MarkIdle();
                Tell(index, IndexChangeKind.StateChanged);
            }
        }
        ScheduleIdleLook();
    }

    private async Task DeleteIdleAsync(Index index)
    {
        await ChangeAsync(async () =>
            {
                // It may have been used, or have gone, meanwhile.
                if (!_all.Contains(index) || !index.IsIdle)
                    return false;
                await RemoveAsync(index).ConfigureAwait(false);
                Found(index.Name, "Nobody has queried it for long: it was deleted. A query that needs it makes it again.");
                return true;
            })
            .ConfigureAwait(false);
    }

    /// <summary>One timer a database, for the next index whose time may come.</summary>
    private void ScheduleIdleLook()
    {
        var options = _processes.Options;
        var next = Timeout.InfiniteTimeSpan;
        foreach (var index in _all.Where(index => index.IsAutomatic && index.Record.State == IndexState.Normal))
        {
            var unused = options.Clock.GetElapsedTime(index.LastUsed);
            var left = (index.IsIdle ? options.DeleteIdleAfter : options.IdleAfter) - unused;
            left = left > s_shortestIdleLook ? left : s_shortestIdleLook;
            if (next == Timeout.InfiniteTimeSpan || left < next)
                next = left;
        }
        if (_isClosing)
            return;
        try
        {
            _idleTimer.Change(next < s_longestIdleLook ? next : s_longestIdleLook, Timeout.InfiniteTimeSpan);
        }
        catch (ObjectDisposedException)
        {
            // The database is being closed.
            return;
        }
    }

    private static readonly TimeSpan s_shortestIdleLook = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestIdleLook = TimeSpan.FromDays(1);
}
