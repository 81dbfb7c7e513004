namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>
/// What waits to be sent, bounded: an append waits for room first, in order of arrival, then for the ones before it in its stream, then
/// for its turn among the streams. Not synchronized.
/// </summary>
internal sealed class AppendQueue(EventStreamsClientOptions options)
{
    private readonly Dictionary<string, StreamLine> _lines = new(StringComparer.Ordinal);
    private readonly Queue<AppendCall> _outside = [];
    private readonly Queue<AppendCall> _ready = [];

    public bool HasReady => _ready.Count > 0;

    /// <summary>Events that have room.</summary>
    public int Events { get; private set; }

    /// <summary>Bytes that have room.</summary>
    public long Bytes { get; private set; }

    public void Enter(AppendCall call)
    {
        if (!_lines.TryGetValue(call.Append.Stream, out var line))
            _lines.Add(call.Append.Stream, line = new StreamLine());
        line.Enter(call);
        _outside.Enqueue(call);
        AdmitThoseWithRoom();
    }

    /// <summary>The call is encoded, or one of its parts was stored and the next is to be sent.</summary>
    public void MakeReady(AppendCall call)
    {
        if (_lines[call.Append.Stream].First == call)
            _ready.Enqueue(call);
    }

    /// <summary>Takes it out for good: answered, failed or given up.</summary>
    public void Leave(AppendCall call)
    {
        if (call.HasLeft)
            return;
        call.Leave();
        if (call.IsAdmitted)
        {
            Events -= call.Events;
            Bytes -= call.SizeBytes;
        }
        var line = _lines[call.Append.Stream];
        var wasFirst = line.First == call;
        line.Advance();
        if (line.IsEmpty)
            _lines.Remove(call.Append.Stream);
        else if (wasFirst && line.First!.IsEncoded)
            _ready.Enqueue(line.First);
        AdmitThoseWithRoom();
    }

    /// <summary>The appends of the next request, each of another stream; empty when none is ready.</summary>
    public List<AppendCall> Take()
    {
        var taken = new List<AppendCall>();
        var events = 0;
        long bytes = 0;
        while (_ready.TryPeek(out var call))
        {
            if (!call.HasLeft)
            {
                if (taken.Count > 0 && (events + call.Events > options.MaxJoinedEvents || bytes + call.SizeBytes > options.MaxJoinedBytes))
                    break;
                events += call.Events;
                bytes += call.SizeBytes;
                taken.Add(call);
            }
            _ready.Dequeue();
        }
        return taken;
    }

    /// <summary>Ends when no append that is there now can still reach the server from here.</summary>
    public Task WhenSettled(string stream) => _lines.TryGetValue(stream, out var line) ? line.Last!.Left : Task.CompletedTask;

    /// <summary>Everything that is there.</summary>
    public List<AppendCall> All() => [.. _outside.Where(call => !call.HasLeft), .. _ready.Where(call => !call.HasLeft)];

    private void AdmitThoseWithRoom()
    {
        while (_outside.TryPeek(out var call))
        {
            if (!call.HasLeft)
            {
                var isFull = Events + call.Events > options.MaxQueuedEvents || Bytes + call.SizeBytes > options.MaxQueuedBytes;
                if (isFull && Events > 0)
                    return;
                Events += call.Events;
                Bytes += call.SizeBytes;
                call.Admit();
            }
            _outside.Dequeue();
        }
    }
}
