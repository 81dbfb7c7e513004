namespace Jackdaw.Demo;

/// <summary>Where the data and the logs of a demo are.</summary>
internal sealed class DemoFolder : IDisposable
{
    private bool _isKept;

    /// <param name="path">A folder that stays; null: a temporary one, removed at the end.</param>
    public DemoFolder(string? path)
    {
        IsTemporary = path is null;
        Path = path is null ? Directory.CreateTempSubdirectory("jackdaw-demo-").FullName : Directory.CreateDirectory(path).FullName;
        Directory.CreateDirectory(Azurite);
        Directory.CreateDirectory(Logs);
    }

    public string Path { get; }

    public bool IsTemporary { get; }

    /// <summary>The server's data.</summary>
    public string Server => System.IO.Path.Combine(Path, "server");

    /// <summary>The queues and blobs.</summary>
    public string Azurite => System.IO.Path.Combine(Path, "azurite");

    /// <summary>What each process printed.</summary>
    public string Logs => System.IO.Path.Combine(Path, "logs");

    /// <summary>Leaves a temporary folder where it is, for whoever looks for the cause of a failure.</summary>
    public void Keep() => _isKept = true;

    public void Dispose()
    {
        if (IsTemporary && !_isKept)
            Directory.Delete(Path, recursive: true);
    }
}
