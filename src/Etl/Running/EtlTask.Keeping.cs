using System.Globalization;
using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Running;

/// <summary>
/// Where a sink keeps the positions itself (<see cref="IPositionKeeper"/>). What keeps both gaps and duplicates out: every
/// message becomes visible together with a
/// position at or above its change. So between the kept position and the task's own in memory lie only changes that sent nothing.
/// </summary>
internal sealed partial class EtlTask
{
    /// <summary>Where no position is kept, so that storing one cannot be taken for storing nothing new.</summary>
    private const long NotKept = -1;

    private bool _areHintsKept;

    /// <summary>Each transform goes on where the sink says; called whenever it was opened.</summary>
    private void PlaceTransforms(IReadOnlyList<SinkPosition> kept)
    {
        // Before anything that is ordered takes the place of what the sink keeps.
        DeleteArrived(kept);
        for (int i = 0; i < _transforms.Length; i++)
        {
            PlaceTransform(_transforms[i], _isPlaced[i], kept);
            _isPlaced[i] = true;
        }
    }

    private void PlaceTransform(TransformRun run, bool isPlaced, IReadOnlyList<SinkPosition> kept)
    {
        string name = run.Configuration.Name;
        var found = Find(kept, name);
        var truth = found?.Position;
        TaskPosition? hint;
        bool isOrdered;
        bool isForgotten;
        long etag;
        using (var reader = _database.OpenRead("ETL start"))
        {
            hint = _positions.Read(reader, name);
            // The sink knows the position of a transform of this name that was taken out of the task.
            isForgotten = _positions.IsForgotten(reader, name);
            if (isForgotten)
                truth = null;
            // What was ordered in the database that this one is a copy of was not ordered here.
            isOrdered = hint is { IsOrdered: true } order && order.DatabaseId == _database.Id;
            if (truth is null && hint is { } known && !isOrdered)
                throw new SinkException(SinkFault.Task, Lost(name, known)) { NeedsPosition = true };
            etag = StartingPoint.Resolve(isOrdered ? hint : truth, run.Configuration, reader, _database.Id, _database.Ancestors);
        }
        if (found?.RetriedDeadLetters is { } retried)
            SettleRetried(run, isPlaced, retried);
        // "Now" is the moment of the first start, even if it ends between the sink's copy and this one's.
        if (isForgotten)
            _positions.Write(name, etag, isOrdered: true);
        if (isOrdered || truth is null)
        {
            Forget(run);
            run.PlaceAt(etag);
            run.StoredPosition = NotKept;
            StorePosition(run);
            RemoveUnpassed(run);
            return;
        }
        Settle(run, isPlaced, etag, found?.Batch);
        if (hint is not { } copy || copy != new TaskPosition(_database.Id, etag))
            _positions.Write(name, etag);
        run.CopiedPosition = etag;
        PassTombstones(run);
    }

    /// <summary>What the sink keeps tells what became of what was on its way when it failed.</summary>
    private void Settle(TransformRun run, bool isPlaced, long etag, Guid? arrived)
    {
        // Nothing arrived: what is in memory is as it was.
        if (isPlaced && etag == run.StoredPosition)
            return;
        run.StoredPosition = etag;
        if (isPlaced && _batch is { } batch && batch.Id == arrived)
        {
            batch.Delivery.ConfirmRest();
            return;
        }
        Forget(run);
        run.PlaceAt(etag);
        RemoveUnpassed(run);
    }

    /// <summary>
    /// While the task rests the database's copy of a position becomes the sink's: whoever restores a copy of the database then
    /// finds what was settled, and not what was settled at the last store before a burst. Returns how long until it is due;
    /// infinite when the copy is exact.
    /// </summary>
    private TimeSpan CopyPosition(TransformRun run)
    {
        if (_keeper is null || !_isPlaced[run.Index] || run.CopiedPosition >= run.StoredPosition)
            return Timeout.InfiniteTimeSpan;
        var left = _options.Limits.IdlePositionInterval - _options.Clock.GetElapsedTime(run.StoredAt);
        if (left > TimeSpan.Zero)
            return left;
        _positions.Write(run.Configuration.Name, run.StoredPosition);
        run.StoredAt = _options.Clock.GetTimestamp();
        run.CopiedPosition = run.StoredPosition;
        return Timeout.InfiniteTimeSpan;
    }

    /// <summary>
    /// At an orderly end the database's copies are as the sink has the positions: should the task go on with another kind of
    /// sink, it goes on there. Tried once: what the
    /// database does not take this moment holds no end up.
    /// </summary>
    private void KeepHints()
    {
        if (_keeper is null || _areHintsKept)
            return;
        _areHintsKept = true;
        foreach (var run in _transforms.Where(run => _isPlaced[run.Index]))
        {
            TaskPosition? hint;
            using (var reader = _database.OpenRead("ETL end"))
                hint = _positions.Read(reader, run.Configuration.Name);
            if (hint is { IsOrdered: false } copy && copy.DatabaseId == _database.Id && copy.Etag < run.StoredPosition)
                _positions.Write(run.Configuration.Name, run.StoredPosition);
        }
    }

    private static SinkPosition? Find(IReadOnlyList<SinkPosition> kept, string transform)
    {
        foreach (var one in kept)
        {
            if (one.Transform == SinkPosition.Name(transform))
                return one;
        }
        return null;
    }

    private SinkPosition KeptPosition(TransformRun run) =>
        new(SinkPosition.Name(run.Configuration.Name), new TaskPosition(_database.Id, run.Position));

    private string Lost(string transform, TaskPosition hint) =>
        hint.DatabaseId != _database.Id
            ? LostOfOriginal(transform, hint)
            : $"The sink keeps no position of the transform '{transform}', although "
                + $"there was one (this database's copy says etag {hint.Etag}). It "
                + "may have lost messages too. Set the transform's position to go on.";

    /// <summary>A copy of the database does not know how far the original went on: only the original's sink does.</summary>
    private string LostOfOriginal(string transform, TaskPosition hint)
    {
        var original = _database.Ancestors.FirstOrDefault(ancestor => ancestor.DatabaseId == hint.DatabaseId);
        if (original == default)
            return $"The position of the transform '{transform}' counts the etags of a database {hint.DatabaseId:D}, which this one "
                + "does not come from, and the sink keeps no position of it. Set the transform's position to go on.";
        long settled = Math.Min(hint.Etag, original.ForkEtag);
        string named = _configuration.Transforms.Count > 1 ? $"&transform={Uri.EscapeDataString(transform)}" : "";
        string command = string.Create(CultureInfo.InvariantCulture, $"POST /etl/position?id={_configuration.Id}{named}&etag=");
        return string.Create(
            CultureInfo.InvariantCulture,
            $"This database is a copy, and the sink keeps the positions of its original. The histories of both part after etag "
                + $"{original.ForkEtag}. The original's transform '{transform}' had settled up to etag {settled} or further. "
                + $"{command}{settled} sends everything after that etag, some of it perhaps a second time. "
                + $"{command}{original.ForkEtag} sends only what was changed in the copy. Resuming alone changes nothing."
        );
    }
}
