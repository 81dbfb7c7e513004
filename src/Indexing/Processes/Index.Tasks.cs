using Jackdaw.Storage.Errors;

namespace Jackdaw.Indexing.Processes;

/// <summary>What the owner does for an index outside of its turns.</summary>
public sealed partial class Index
{
    private static readonly TimeSpan s_taskRetry = TimeSpan.FromSeconds(1);

    private int _hasTask;

    internal long SeenUpToNow => SeenUpTo;

    /// <summary>False: one is under way.</summary>
    internal bool TryBeginTask() => Interlocked.Exchange(ref _hasTask, 1) == 0;

    /// <summary>The task has ended; the turns go on.</summary>
    internal void EndTask(bool hasSucceeded)
    {
        Interlocked.Exchange(ref _hasTask, 0);
        if (!hasSucceeded)
            _turn.PauseFor(s_taskRetry);
        _turn.Wake();
    }

    /// <summary>Counts failures anew.</summary>
    internal void ClearFailures() => _counters.ForgetFailures();

    /// <summary>Its record names another instance: it begins anew.</summary>
    internal void FollowNewRecord() => FollowState();

    /// <summary>Makes everything durable that it has seen. False: it could not, or was rolled back; its next turn tries again.</summary>
    internal async Task<bool> MakeDurableAsync()
    {
        if (_folder is not { } folder || !folder.Environment.TryUse())
            return false;
        try
        {
            var storage = folder.Environment.Storage;
            int generation = storage.Generation;
            await storage.MakeDurableAsync().ConfigureAwait(false);
            return storage.Generation == generation;
        }
        catch (StorageException)
        {
            _turn.PauseFor(s_taskRetry);
            return false;
        }
        finally
        {
            folder.Environment.EndUse();
        }
    }
}
