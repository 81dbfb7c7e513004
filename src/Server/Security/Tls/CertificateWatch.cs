namespace Jackdaw.Server.Security.Tls;

/// <summary>
/// Looks at the files of the server's certificate every 30 seconds, and soon after the file system tells of a change in their folders.
/// It may tell of none: on network file systems, and where a symbolic link above the folder is replaced.
/// </summary>
internal sealed class CertificateWatch : IDisposable
{
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(30);

    /// <summary>Whoever replaces two files does so one after the other.</summary>
    private static readonly TimeSpan s_settling = TimeSpan.FromMilliseconds(250);

    private readonly ServerCertificate _certificate;
    private readonly ITimer _timer;
    private readonly TimeSpan _interval;
    private readonly List<FileSystemWatcher> _watchers = [];
    private int _looking;

    /// <param name="certificate">What follows the files.</param>
    /// <param name="interval">The time between two looks; null: <see cref="Interval"/>.</param>
    /// <param name="listens">Whether the file system is listened to.</param>
    public CertificateWatch(ServerCertificate certificate, TimeSpan? interval = null, bool listens = true)
    {
        _certificate = certificate;
        _interval = interval ?? Interval;
        _timer = TimeProvider.System.CreateTimer(_ => Look(), null, _interval, _interval);
        if (listens)
            foreach (var folder in Folders(certificate.Files))
                Watch(folder);
    }

    public void Dispose()
    {
        foreach (var watcher in _watchers)
            watcher.Dispose();
        _timer.Dispose();
    }

    private static IEnumerable<string> Folders(CertificateFiles files) =>
        new[] { files.Path, files.SecretPath }.Select(path => Path.GetDirectoryName(path)!).Distinct(StringComparer.Ordinal);

    private void Watch(string folder)
    {
        try
        {
            var watcher = new FileSystemWatcher(folder)
            {
                NotifyFilter = NotifyFilters.FileName | NotifyFilters.LastWrite | NotifyFilters.DirectoryName,
            };
            _watchers.Add(watcher);
            watcher.Created += (_, _) => LookSoon();
            watcher.Changed += (_, _) => LookSoon();
            watcher.Renamed += (_, _) => LookSoon();
            watcher.EnableRaisingEvents = true;
        }
        catch (Exception e) when (e is IOException or ArgumentException)
        {
            // The system gives no more watches: looking every 30 seconds remains.
            _certificate.Told?.Invoke(
                $"Changes in '{folder}' are seen by looking every {Interval.TotalSeconds:0} seconds only: {e.Message}"
            );
        }
    }

    private void LookSoon()
    {
        try
        {
            _timer.Change(s_settling, _interval);
        }
        catch (ObjectDisposedException)
        {
            // The server ends.
        }
    }

    private void Look()
    {
        if (Interlocked.Exchange(ref _looking, 1) == 1)
            return;
        try
        {
            _certificate.Look();
        }
#pragma warning disable CA1031 // On a timer whatever it is would end the process; the certificate that is there stays.
        catch (Exception e)
#pragma warning restore CA1031
        {
            _certificate.Told?.Invoke($"Looking at the server's certificate failed, and will be tried again: {e.Message}");
        }
        finally
        {
            Volatile.Write(ref _looking, 0);
        }
    }
}
