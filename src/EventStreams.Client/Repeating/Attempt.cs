using System.Net.Sockets;
using Jackdaw.EventStreams.Client.Errors;

namespace Jackdaw.EventStreams.Client.Repeating;

/// <summary>One sending of a request: a bound on its time, and which of its failures another attempt may mend.</summary>
internal sealed class Attempt : IDisposable
{
    private readonly CancellationTokenSource _timeout;
    private readonly CancellationTokenSource _linked;
    private readonly CancellationToken _caller;

    public Attempt(TimeProvider clock, TimeSpan timeout, CancellationToken caller)
    {
        _caller = caller;
        _timeout = new CancellationTokenSource(timeout > TimeSpan.Zero ? timeout : TimeSpan.FromMilliseconds(1), clock);
        _linked = CancellationTokenSource.CreateLinkedTokenSource(_timeout.Token, caller);
    }

    public CancellationToken Token => _linked.Token;

    /// <summary>The time of the attempt with this number, from 0.</summary>
    public static TimeSpan Timeout(TimeSpan first, int number, TimeSpan left)
    {
        var timeout = first * Math.Pow(2, Math.Min(number, 10));
        return timeout < left ? timeout : left;
    }

    /// <summary>Gives the attempt this much time from now on.</summary>
    public void Renew(TimeSpan timeout) => _timeout.CancelAfter(timeout);

    /// <summary>True for a lost connection, a late answer, and an error of the server that may pass.</summary>
    public bool IsPassing(Exception e) =>
        e switch
        {
            RequestRefusedException refused => refused.IsPassing,
            OperationCanceledException => !_caller.IsCancellationRequested,
            // A connection that is reset while it is made comes out of the handler as it is.
            HttpRequestException or IOException or SocketException => !_caller.IsCancellationRequested,
            _ => false,
        };

    public void Dispose()
    {
        _linked.Dispose();
        _timeout.Dispose();
    }
}
