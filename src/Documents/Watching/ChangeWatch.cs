using System.Collections.Concurrent;
using System.Text;

namespace Jackdaw.Documents.Watching;

/// <summary>Wakes one consumer when something happens that it wants to read. Disposed of when the consumer is no more.</summary>
public sealed class ChangeWatch : IDisposable
{
    private readonly ChangeWatchers _watchers;
    private readonly Func<string, ChangeKinds>? _wants;
    private readonly Action _woken;

    /// <summary>What it wants of the collections that it was asked about so far, by their ids.</summary>
    private readonly ConcurrentDictionary<uint, ChangeKinds> _known = new();

    internal ChangeWatch(ChangeWatchers watchers, Func<string, ChangeKinds>? wants, Action woken)
    {
        _watchers = watchers;
        _wants = wants;
        _woken = woken;
    }

    /// <summary>Ends it. A call that has begun may still come.</summary>
    public void Dispose() => _watchers.Remove(this);

    internal bool Wants(in CollectionChange change)
    {
        if (_wants is null)
            return true;
        if (!_known.TryGetValue(change.CollectionId, out var kinds))
            _known[change.CollectionId] = kinds = _wants(Encoding.UTF8.GetString(change.Name));
        return (kinds & change.Kinds) != 0;
    }

    internal void Wake() => _woken();
}
