namespace Jackdaw.Brokers;

/// <summary>A real server on loopback, on free ports, with a folder of its own that goes with it unless its owner named one.</summary>
public abstract class Broker : IAsyncDisposable
{
    private protected static readonly TimeSpan StartTimeout = TimeSpan.FromSeconds(120);

    private readonly string _name;
    private readonly bool _ownsFolder;
    private BrokerProcess? _process;

    private protected Broker(BrokerKind kind, string? folder = null)
    {
        BrokerAvailability.Require(kind);
        _name = kind.ToString();
        _ownsFolder = folder is null;
        Folder = folder ?? Directory.CreateTempSubdirectory($"jackdaw-{_name.ToLowerInvariant()}-").FullName;
    }

    /// <summary>Whether its process has ended by itself or was ended.</summary>
    public bool HasExited => _process?.HasExited ?? true;

    /// <summary>The last lines that it printed.</summary>
    public string Output => _process?.Output ?? "";

    /// <summary>Where its data is.</summary>
    private protected string Folder { get; }

    /// <summary>Ends it in order; what it acknowledged is there when it is started again.</summary>
    public async Task StopAsync()
    {
        if (_process is not null)
            await _process.StopAsync();
    }

    /// <summary>kill -9. Not for Azurite when nothing may be lost: it writes what it acknowledged every few seconds.</summary>
    public void Kill() => _process?.Kill();

    /// <summary>Starts it on the same ports and data after <see cref="StopAsync"/> or <see cref="Kill"/>, and waits until it is
    /// ready.</summary>
    /// <exception cref="BrokerFailedException">It did not start.</exception>
    public async Task StartAgainAsync()
    {
        if (_process is not null)
            await _process.DisposeAsync();
        _process = BrokerProcess.Start(Command(), Folder);
        await _process.WaitAsync(_name, IsReadyAsync, StartTimeout);
    }

    /// <summary>Ends it and removes its folder, unless its owner named one.</summary>
    public virtual async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        // By force: nobody needs what it would still write.
        if (_process is not null)
            await _process.DisposeAsync();
        if (_ownsFolder)
            Directory.Delete(Folder, recursive: true);
    }

    /// <summary>Starts it for the first time; leaves nothing behind when that fails.</summary>
    private protected static async Task<T> StartedAsync<T>(T broker, Func<Task>? prepare = null)
        where T : Broker
    {
        var isReady = false;
        try
        {
            if (prepare is not null)
                await prepare();
            await broker.StartAgainAsync();
            isReady = true;
            return broker;
        }
        finally
        {
            if (!isReady)
                await broker.DisposeAsync();
        }
    }

    private protected abstract BrokerCommand Command();

    /// <summary>Whether it answers its protocol; false too while nobody listens.</summary>
    private protected abstract Task<bool> IsReadyAsync();
}
