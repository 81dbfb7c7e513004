using System.Runtime.InteropServices;

namespace Jackdaw.Demo;

/// <summary>Ctrl+C, SIGTERM, the end of the terminal, or of whatever reads the output: nothing tells a program that only waits that nobody
/// reads it any more. The second signal ends this process at once, and with it its children.</summary>
internal sealed partial class StopSignal : IDisposable
{
    private const int StandardOutput = 1;
    private const short PollError = 8;
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(200);

    private readonly CancellationTokenSource _stop = new();
    private readonly PosixSignalRegistration[] _registrations;
    private readonly Timer _look;

    public StopSignal()
    {
        _registrations =
        [
            PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop),
            PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop),
            PosixSignalRegistration.Create(PosixSignal.SIGHUP, Stop),
        ];
        _look = new Timer(_ => StopIfUnread(), null, s_look, s_look);
    }

    public CancellationToken Token => _stop.Token;

    public void Dispose()
    {
        foreach (var registration in _registrations)
            registration.Dispose();
        using (var ended = new ManualResetEvent(false))
        {
            _look.Dispose(ended);
            ended.WaitOne();
        }
        _stop.Dispose();
    }

    /// <summary>A pipe that nobody reads is in error; anything else is not.</summary>
    private void StopIfUnread()
    {
        var output = new Polled { File = StandardOutput };
        if (Poll(ref output, 1, 0) > 0 && (output.Happened & PollError) != 0)
            _stop.Cancel();
    }

    private void Stop(PosixSignalContext signal)
    {
        signal.Cancel = !_stop.IsCancellationRequested;
        _stop.Cancel();
    }

    [LibraryImport("libc", EntryPoint = "poll")]
    private static partial int Poll(ref Polled files, nuint count, int timeoutMs);

    /// <summary><c>struct pollfd</c>.</summary>
    private struct Polled
    {
        public int File;
        public short Asked;
        public short Happened;
    }
}
