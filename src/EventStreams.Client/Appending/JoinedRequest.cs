using System.Diagnostics.CodeAnalysis;

namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>Appends of several streams that are sent in one request, again and again until it is answered.</summary>
[SuppressMessage("Design", "CA1001", Justification = "A source without a timer and without a handle holds nothing.")]
internal sealed class JoinedRequest(List<AppendCall> calls)
{
    private readonly CancellationTokenSource _abandoned = new();

    /// <summary>Those that are still to be sent.</summary>
    public List<AppendCall> Calls => calls;

    /// <summary>Set when nobody waits for any of its appends any more.</summary>
    public CancellationToken Abandoned => _abandoned.Token;

    public bool IsAbandoned => calls.TrueForAll(static call => call.IsAbandoned);

    public void Abandon() => _abandoned.Cancel();
}
