namespace Jackdaw.Etl.Running;

/// <summary>The outcomes of the last documents: tells when a script or a target is wrong, rather than a document.</summary>
internal sealed class FailureWindow(int size, double maxShare)
{
    private readonly Queue<bool> _outcomes = new();
    private int _failed;

    /// <summary>The window is full, and too many in it failed.</summary>
    public bool IsExceeded => _outcomes.Count >= size && _failed > size * maxShare;

    public void Record(bool failed)
    {
        _outcomes.Enqueue(failed);
        _failed += failed ? 1 : 0;
        if (_outcomes.Count > size && _outcomes.Dequeue())
            _failed--;
    }

    public void Clear()
    {
        _outcomes.Clear();
        _failed = 0;
    }
}
