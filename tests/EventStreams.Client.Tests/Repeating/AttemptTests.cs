using System.Net.Sockets;
using Jackdaw.EventStreams.Client.Repeating;

namespace Jackdaw.EventStreams.Client.Tests.Repeating;

/// <summary>Which failures of an attempt another one may mend.</summary>
public sealed class AttemptTests
{
    /// <summary>The handler of .NET asks a new connection for its other end. When the server is killed at that moment, what comes out is
    /// the socket's own error: an append failed for it although its time was not over.</summary>
    [Fact]
    public void A_connection_that_is_reset_while_it_is_made_is_a_lost_one()
    {
        using var gone = new CancellationTokenSource();
        using var attempt = new Attempt(TimeProvider.System, Eventually.Patience, gone.Token);
        Assert.True(attempt.IsPassing(new SocketException((int)SocketError.NotConnected)));
        Assert.True(attempt.IsPassing(new HttpRequestException("refused")));
        Assert.False(attempt.IsPassing(new InvalidOperationException("a mistake")));
        gone.Cancel();
        Assert.False(attempt.IsPassing(new SocketException((int)SocketError.NotConnected)));
    }
}
