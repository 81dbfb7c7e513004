using Jackdaw.Storage.Copying;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Headers;
using Jackdaw.Storage.Journal;

namespace Jackdaw.Storage;

/// <summary>Online copies, and the journal files that they keep.</summary>
public sealed partial class StorageEnvironment
{
    private readonly List<EnvironmentHeader> _copyPins = [];

    /// <summary>The header of the last sync; replaced whole under the lock.</summary>
    private EnvironmentHeader _syncedHeader;

    /// <summary>Where the journal is durable up to.</summary>
    internal JournalPosition DurablePosition
    {
        get
        {
            lock (_lock)
                return _durable.Position;
        }
    }

    /// <summary>
    /// Begins a copy onto an empty disk; <see cref="OnlineCopy.Step"/> until it returns false, then dispose of it. Journal files
    /// are kept meanwhile.
    /// </summary>
    public OnlineCopy BeginCopy(IDisk target)
    {
        ThrowIfPoisoned();
        if (HeaderFiles.Exist(target))
            throw new IOException($"'{target.Description}' holds an environment already; a copy needs an empty folder.");
        EnvironmentHeader start;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            start = _syncedHeader;
            _copyPins.Add(start);
        }
        try
        {
            return new OnlineCopy(this, _disk, target, start);
        }
        catch
        {
            Unpin(start);
            throw;
        }
    }

    internal void Unpin(EnvironmentHeader start)
    {
        lock (_lock)
            _copyPins.Remove(start);
    }

    /// <summary>What both headers are past and no copy needs any more.</summary>
    private JournalPosition? Recyclable()
    {
        if ((Options.Planted == PlantedFault.RecycleAfterOneHeader ? _headers.Newest : _headers.Other) is not { } other)
            return null;
        var position = other.Synced;
        lock (_lock)
        {
            foreach (var start in _copyPins)
                position = start.Synced.TransactionId < position.TransactionId ? start.Synced : position;
        }
        return position;
    }
}
