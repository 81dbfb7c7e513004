using Jackdaw.Documents.Hosting;
using Jackdaw.Storage;

namespace Jackdaw.Documents;

/// <summary>
/// An environment of its own in a folder below a database's, lazily durable, whose steps run on the server's shared threads
/// (<see cref="Database.OpenEnvironment"/>). Whoever opened it closes it; what is still open when the database closes is closed with it.
/// Thread-safe.
/// </summary>
public sealed class DatabaseEnvironment
{
    private readonly EnvironmentHost _host;
    private readonly DatabaseUses _uses = new();
    private readonly Action<DatabaseEnvironment> _closed;
    private readonly Lock _lock = new();
    private Task? _closing;

    internal DatabaseEnvironment(string folder, EnvironmentHost host, Action<DatabaseEnvironment> closed)
    {
        Folder = folder;
        _host = host;
        _closed = closed;
    }

    /// <summary>Its folder below the database's.</summary>
    public string Folder { get; }

    /// <summary>The environment. Read and write it only between <see cref="TryUse"/> and <see cref="EndUse"/>.</summary>
    public StorageEnvironment Storage => _host.Storage;

    /// <summary>
    /// Begins a use, such as a reader: the environment does not close before <see cref="EndUse"/>. False once it is closing.
    /// </summary>
    public bool TryUse() => _uses.TryEnter();

    /// <summary>Begins another use for a caller that has one already, also once the environment is closing.</summary>
    public void UseAgain() => _uses.EnterAgain();

    /// <summary>Ends a use.</summary>
    public void EndUse() => _uses.Leave();

    /// <summary>The environment holds much that is not flushed: the journal and the flush go on, and the writer waits a moment.</summary>
    public void RelieveScratch()
    {
        _host.WakeJournal();
        _host.WakeBackground();
    }

    /// <summary>
    /// Ends new uses at once, waits for the others, makes everything durable and closes the environment. Any further call awaits the
    /// first one.
    /// </summary>
    public Task CloseAsync()
    {
        lock (_lock)
            return _closing ??= CloseItselfAsync();
    }

    private async Task CloseItselfAsync()
    {
        _uses.BeginClosing();
        await _uses.Ended.ConfigureAwait(false);
        await _host.EndAsync().ConfigureAwait(false);
        try
        {
            // It blocks on the disk: a thread of its own.
            await Task
                .Factory.StartNew(_host.CloseCleanly, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
                .ConfigureAwait(false);
        }
        finally
        {
            _closed(this);
        }
    }
}
