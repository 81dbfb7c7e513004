using System.Runtime.InteropServices;

namespace Jackdaw.Demo;

/// <summary>Ctrl+C, SIGTERM, or the end of the terminal. The second one ends this process at once, and with it its children.</summary>
internal sealed class StopSignal : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly PosixSignalRegistration[] _registrations;

    public StopSignal() =>
        _registrations = [
            PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop),
            PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop),
            PosixSignalRegistration.Create(PosixSignal.SIGHUP, Stop),
        ];

    public CancellationToken Token => _stop.Token;

    public void Dispose()
    {
        foreach (var registration in _registrations)
            registration.Dispose();
        _stop.Dispose();
    }

    private void Stop(PosixSignalContext signal)
    {
        signal.Cancel = !_stop.IsCancellationRequested;
        _stop.Cancel();
    }
}
