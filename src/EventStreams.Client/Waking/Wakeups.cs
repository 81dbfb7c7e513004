using Jackdaw.EventStreams.Client.Repeating;

namespace Jackdaw.EventStreams.Client.Waking;

/// <summary>
/// Tells readers that something was stored that concerns them: one connection for all of them, open while there is a follower. It carries
/// no events; who is woken reads a page. The connection names the streams and tags that are followed, so what is stored elsewhere
/// wakes nobody. After a lost connection everyone is woken, since something may have been missed.
/// </summary>
public sealed class Wakeups : IAsyncDisposable
{
    /// <summary>Followers that come at about the same time share a new connection.</summary>
    private static readonly TimeSpan GatheringTime = TimeSpan.FromMilliseconds(20);

    /// <summary>The shortest time between two connections that differ in what they name.</summary>
    private static readonly TimeSpan ChangePause = TimeSpan.FromMilliseconds(200);

    private readonly WakeupConnection _connection;
    private readonly TimeProvider _clock;
    private readonly Lock _lock = new();
    private readonly HashSet<Follower> _followers = [];
    private readonly Dictionary<string, List<Follower>> _byStream = new(StringComparer.Ordinal);
    private readonly Dictionary<string, List<Follower>> _byTag = new(StringComparer.Ordinal);

    /// <summary>Those of whose names the server says nothing: they are woken by every line. Of the present connection.</summary>
    private readonly List<Follower> _unnamed = [];

    /// <summary>Those of whom the server does not know yet. Once it does, they are to look whether they missed something.</summary>
    private readonly HashSet<Follower> _uncovered = [];
    private FollowedNames? _names;
    private CancellationTokenSource? _changed;
    private bool _isConnected;
    private bool _isChangeDue;
    private long _connectedAt;
    private CancellationTokenSource? _listening;
    private Task _listener = Task.CompletedTask;
    private long _durable;
    private bool _isDisposed;

    internal Wakeups(ServerConnection server)
    {
        _clock = server.Options.Clock;
        _connection = new WakeupConnection(server, this);
    }

    /// <summary>The highest position of which it has heard.</summary>
    public long Durable => Volatile.Read(ref _durable);

    /// <summary>How often it was connected.</summary>
    internal int Connections => _connection.Connections;

    /// <summary>How often the server knew of everyone who followed.</summary>
    internal int Connected { get; private set; }

    /// <summary>Follows everything that is stored.</summary>
    public Follower Follow() => Add(new Follower(this, _clock, stream: null, tags: []));

    /// <summary>Follows what is stored in a stream.</summary>
    public Follower FollowStream(string stream)
    {
        Texts.RequireStream(stream);
        return Add(new Follower(this, _clock, stream, tags: []));
    }

    /// <summary>Follows what is stored with at least one of the tags.</summary>
    public Follower FollowTags(IReadOnlyCollection<string> tags)
    {
        ArgumentOutOfRangeException.ThrowIfZero(tags.Count);
        return Add(new Follower(this, _clock, stream: null, [.. tags.Distinct(StringComparer.Ordinal)]));
    }

    /// <summary>Closes the connection and wakes everyone.</summary>
    public async ValueTask DisposeAsync()
    {
        Task listener;
        CancellationTokenSource? listening;
        lock (_lock)
        {
            _isDisposed = true;
            listener = _listener;
            (listening, _listening) = (_listening, null);
        }
        if (listening is not null)
            await listening.CancelAsync();
        await listener;
        lock (_lock)
            WakeAll();
    }

    /// <summary>A connection is about to be made: gives what it names.</summary>
    /// <param name="changed">Cancelled when another one is to take its place, because of new followers.</param>
    internal FollowedNames BeginConnection(CancellationTokenSource changed)
    {
        lock (_lock)
        {
            var names = new FollowedNames();
            foreach (var follower in _followers)
                names.Add(follower);
            _unnamed.Clear();
            _unnamed.AddRange(_followers.Where(follower => !names.Names(follower)));
            _names = names;
            _changed = changed;
            _isConnected = _isChangeDue = false;
            _connectedAt = _clock.GetTimestamp();
            return names;
        }
    }

    /// <summary>The server listens for what the connection names.</summary>
    internal void NoteConnected()
    {
        lock (_lock)
        {
            _isConnected = true;
            // The position from which the connection goes on may lie behind something that concerns these.
            _uncovered.RemoveWhere(follower =>
            {
                if (_names?.Covers(follower) != true)
                    return false;
                follower.Wake();
                return true;
            });
            Connected++;
        }
    }

    /// <summary>The connection has ended.</summary>
    /// <param name="isLost">Something may have been stored while nobody listened.</param>
    internal void EndConnection(bool isLost)
    {
        lock (_lock)
        {
            _changed = null;
            _isConnected = false;
            if (!isLost)
                return;
            _names = null;
            _uncovered.UnionWith(_followers);
            WakeAll();
        }
    }

    /// <summary>Something was stored.</summary>
    internal void Take(WakeLine line, long durable)
    {
        lock (_lock)
        {
            _durable = Math.Max(_durable, durable);
            if (line.IsHeartbeat || line.DatabaseId is not null)
                return;
            if (line.IsAny)
            {
                WakeAll();
                return;
            }
            foreach (var follower in _unnamed)
                follower.Wake();
            Wake(_byStream, line.Streams);
            Wake(_byTag, line.Tags);
        }
    }

    internal void Remove(Follower follower)
    {
        CancellationTokenSource? listening = null;
        lock (_lock)
        {
            _followers.Remove(follower);
            _unnamed.Remove(follower);
            _uncovered.Remove(follower);
            if (follower.Stream is { } stream)
                Remove(_byStream, stream, follower);
            foreach (var tag in follower.Tags)
                Remove(_byTag, tag, follower);
            if (_followers.Count == 0)
                (listening, _listening) = (_listening, null);
        }
        listening?.Cancel();
    }

    private Follower Add(Follower follower)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            _followers.Add(follower);
            if (follower.Stream is { } stream)
                Add(_byStream, stream, follower);
            foreach (var tag in follower.Tags)
                Add(_byTag, tag, follower);
            if (_listening is null)
                Listen();
            var isCovered = _names?.Covers(follower) == true;
            if (!isCovered || !_isConnected)
                _uncovered.Add(follower);
            if (!isCovered)
                ChangeSoon();
            else if (!_names!.Names(follower))
                _unnamed.Add(follower);
            return follower;
        }
    }

    /// <summary>The present connection serves its followers until the new one takes its place.</summary>
    private void ChangeSoon()
    {
        if (_isChangeDue || _changed is null)
            return;
        _isChangeDue = true;
        var pause = ChangePause - _clock.GetElapsedTime(_connectedAt);
        _changed.CancelAfter(pause > GatheringTime ? pause : GatheringTime);
    }

    private void WakeAll()
    {
        foreach (var follower in _followers)
            follower.Wake();
    }

    private static void Wake(Dictionary<string, List<Follower>> byName, string[] names)
    {
        foreach (var name in names)
        foreach (var follower in byName.GetValueOrDefault(name) ?? [])
            follower.Wake();
    }

    private static void Add(Dictionary<string, List<Follower>> byName, string name, Follower follower)
    {
        if (!byName.TryGetValue(name, out var followers))
            byName.Add(name, followers = []);
        followers.Add(follower);
    }

    private static void Remove(Dictionary<string, List<Follower>> byName, string name, Follower follower)
    {
        if (byName.TryGetValue(name, out var followers) && followers.Remove(follower) && followers.Count == 0)
            byName.Remove(name);
    }

    /// <summary>Called under the lock. The listener before ends first: there is one connection.</summary>
    private void Listen()
    {
        _listening = new CancellationTokenSource();
        var end = _listening.Token;
        var before = _listener;
        _listener = Task.Run(async () =>
        {
            await before;
            try
            {
                await Task.Delay(GatheringTime, _clock, end);
            }
            catch (OperationCanceledException)
            {
                return;
            }
            await _connection.RunAsync(end);
        });
    }
}
