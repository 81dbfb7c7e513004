using System.Runtime.ExceptionServices;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Etl.Running;

/// <summary>
/// Making batches. While one is on its way, and there is more, the next one is made: at most two are in memory, three for a sink
/// that reaches ahead. No position is stored
/// for what is read meanwhile and sends nothing: a sink that keeps the positions has its hands full.
/// </summary>
internal sealed partial class EtlTask
{
    /// <summary>Made while the one before was on its way, and not begun; its changes lie behind those of every batch of its
    /// transform.</summary>
    private Batch? _ahead;

    /// <summary>Why it could not be made: told when the one before is done.</summary>
    private ExceptionDispatchInfo? _aheadFailure;

    /// <summary>What the task reads of a collection, in any casing. Any thread.</summary>
    internal ChangeKinds Wants(string collection)
    {
        var kinds = ChangeKinds.None;
        foreach (var transform in _transforms)
        {
            // Deleted events stay on disk until the position has passed the deletion: it is to move on for that, too.
            if (transform.Configuration.Wants(collection))
                kinds |= EventsRoom.IsEvents(collection) ? ChangeKinds.All : transform.Configuration.WantedKinds;
        }
        return kinds;
    }

    /// <summary>The next batch of changes with anything in it; null when all transforms have come to the end, or to one full of
    /// changes that sent nothing.</summary>
    private Batch? NextChanges()
    {
        var failure = _aheadFailure;
        _aheadFailure = null;
        failure?.Throw();
        var ready = _ahead;
        _ahead = null;
        return ready ?? ReadNext(meanwhile: null);
    }

    /// <summary>While a batch is on its way and there is more. True when another one is ready.</summary>
    private bool ReadAhead(Batch batch, Task sending)
    {
        var last = _next ?? batch;
        if (
            !last.HasMore
            || last.EndsWithKiller
            || _ahead is not null
            || _aheadFailure is not null
            || sending.IsCompleted
            || WhyAtRest() is not null
            || _rate.Wait() > TimeSpan.Zero
        )
            return false;
        try
        {
            _ahead = ReadNext(sending);
        }
        catch (Exception e)
        {
            // Whatever it is, it is told in its turn: what is on its way comes first.
            _aheadFailure = ExceptionDispatchInfo.Capture(e);
        }
        return _ahead is not null;
    }

    /// <summary>Transforms take turns. Ahead of a delivery it ends with that, once it has read something.</summary>
    private Batch? ReadNext(Task? meanwhile)
    {
        for (int i = 0; i < _transforms.Length && meanwhile is not { IsCompleted: true }; i++)
        {
            var transform = _transforms[_turn % _transforms.Length];
            _turn++;
            while (_reader.Read(transform) is { } batch)
            {
                if (!batch.IsEmpty)
                {
                    Reached(Failpoint.Read);
                    return batch;
                }
                if (!IsInMemory(transform))
                    transform.Position = batch.ToEtag;
                if (meanwhile is null && (_isOpen || _keeper is null) && IsDue(transform))
                    StorePosition(transform);
                if (!batch.HasMore || !_commands.IsEmpty || _isClosing || meanwhile is { IsCompleted: true })
                    break;
            }
        }
        return null;
    }

    /// <summary>What was read of a transform and is not settled is read again, dead letters too, once the transform has been
    /// placed anew.</summary>
    private void Forget(TransformRun run)
    {
        if (_settled?.Transform == run)
            _settled = null;
        if (_next?.Transform == run)
            _next = null;
        if (_ahead?.Transform == run)
            _ahead = null;
        if (_batch is { } batch && batch.Transform == run)
        {
            (_batch, _next) = (_next, null);
            if (batch.Retried is { } retried)
                retried.Request.GoBack(retried.AfterEtag);
        }
    }
}
