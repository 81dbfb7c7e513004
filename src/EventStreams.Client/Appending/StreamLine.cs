namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>The appends of one stream in the order in which they came. Only the first may be under way.</summary>
internal sealed class StreamLine
{
    private readonly Queue<AppendCall> _calls = [];
    private AppendCall? _last;

    public bool IsEmpty => _calls.Count == 0;

    public AppendCall? First => _calls.TryPeek(out var call) ? call : null;

    public AppendCall? Last => _last;

    public void Enter(AppendCall call)
    {
        _calls.Enqueue(call);
        _last = call;
    }

    /// <summary>Removes those at the front that have left.</summary>
    public void Advance()
    {
        while (_calls.TryPeek(out var call) && call.HasLeft)
            _calls.Dequeue();
    }
}
