using System.Runtime.InteropServices;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>
/// Who watches what in a database. To find who watches a document costs one look for its id, its collection and each length of
/// prefix that is watched,
/// however many watches there are. Not thread-safe.
/// </summary>
internal sealed class WatchTable
{
    private readonly Dictionary<string, List<Watcher>>[] _byKind;
    private readonly SortedDictionary<int, int> _prefixLengths = [];

    /// <summary>Creates an empty table.</summary>
    public WatchTable()
    {
        _byKind = new Dictionary<string, List<Watcher>>[Enum.GetValues<WatchKind>().Length];
        for (var i = 0; i < _byKind.Length; i++)
            _byKind[i] = new Dictionary<string, List<Watcher>>(StringComparer.Ordinal);
    }

    /// <summary>Watches of all sockets.</summary>
    public int Count { get; private set; }

    /// <summary>Of those, watches that are told by reading the changes of documents.</summary>
    public int DocumentWatches { get; private set; }

    /// <summary>Sockets that watch a thing; empty when none does. Valid until the next change.</summary>
    public ReadOnlySpan<Watcher> Of(WatchKind kind, string name = "") =>
        _byKind[(int)kind].TryGetValue(name, out var watchers) ? CollectionsMarshal.AsSpan(watchers) : default;

    /// <summary>Is anything of a kind watched?</summary>
    public bool Has(WatchKind kind) => _byKind[(int)kind].Count > 0;

    /// <summary>As <see cref="Of(WatchKind, string)"/>, for a name that is no string.</summary>
    public ReadOnlySpan<Watcher> Of(WatchKind kind, scoped ReadOnlySpan<char> name)
    {
        var watched = _byKind[(int)kind];
        return watched.Count > 0 && watched.GetAlternateLookup<ReadOnlySpan<char>>().TryGetValue(name, out var watchers)
            ? CollectionsMarshal.AsSpan(watchers)
            : default;
    }

    /// <summary>Lengths of the prefixes that are watched, in characters, ascending.</summary>
    public SortedDictionary<int, int>.KeyCollection PrefixLengths => _prefixLengths.Keys;

    /// <summary>Adds a watch, which the socket does not have yet.</summary>
    public void Add(Watch watch, Watcher watcher)
    {
        var watched = _byKind[(int)watch.Kind];
        if (!watched.TryGetValue(watch.Name, out var watchers))
        {
            watched.Add(watch.Name, watchers = new List<Watcher>(1));
            if (watch.Kind == WatchKind.Prefix)
                CountPrefix(watch.Name.Length, 1);
        }
        watchers.Add(watcher);
        Counted(watch, 1);
    }

    /// <summary>Removes a watch, which the socket has.</summary>
    public void Remove(Watch watch, ChangesSocket socket)
    {
        var watched = _byKind[(int)watch.Kind];
        var watchers = watched[watch.Name];
        var at = watchers.FindLastIndex(watcher => watcher.Socket == socket);
        watchers[at] = watchers[^1];
        watchers.RemoveAt(watchers.Count - 1);
        Counted(watch, -1);
        if (watchers.Count > 0)
            return;
        watched.Remove(watch.Name);
        if (watch.Kind == WatchKind.Prefix)
            CountPrefix(watch.Name.Length, -1);
    }

    private void Counted(Watch watch, int by)
    {
        Count += by;
        if (watch.IsOfDocuments)
            DocumentWatches += by;
    }

    private void CountPrefix(int length, int by)
    {
        var count = _prefixLengths.GetValueOrDefault(length) + by;
        if (count == 0)
            _prefixLengths.Remove(length);
        else
            _prefixLengths[length] = count;
    }
}
