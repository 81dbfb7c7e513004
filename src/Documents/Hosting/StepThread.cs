namespace Jackdaw.Documents.Hosting;

/// <summary>One thread of a <see cref="StepThreadSet"/>, as the set sees it: something to wake.</summary>
internal sealed class StepThread
{
    private readonly object _monitor = new();
    private bool _isWoken;

    /// <summary>Ends the sleep, or keeps the next one from beginning.</summary>
    public void Wake()
    {
        lock (_monitor)
        {
            _isWoken = true;
            Monitor.Pulse(_monitor);
        }
    }

    /// <summary>Sleeps until woken. False: the time has passed before.</summary>
    public bool Sleep(int timeoutMs)
    {
        lock (_monitor)
        {
            if (!_isWoken)
                Monitor.Wait(_monitor, timeoutMs);
            bool wasWoken = _isWoken;
            _isWoken = false;
            return wasWoken;
        }
    }
}
