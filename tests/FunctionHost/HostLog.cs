namespace Jackdaw.FunctionHost;

/// <summary>What the host says, a line at a time. Thread-safe.</summary>
internal sealed class HostLog(Action<string> write)
{
    private readonly Lock _lock = new();

    public void Say(string line)
    {
        lock (_lock)
            write(line);
    }
}
