namespace Jackdaw.Etl.Running;

/// <summary>
/// Time that is granted to what is on its way, before it is given up. It passes in parts: a machine that stands still in the
/// middle of it uses up one or two of them, and not the time of
/// the answers that lie there when it goes on.
/// </summary>
internal sealed class Grace : IAsyncDisposable
{
    internal const int Parts = 10;

    private static readonly TimeSpan s_shortestPart = TimeSpan.FromMilliseconds(1);

    private readonly CancellationTokenSource _giveUp;
    private readonly ITimer _timer;
    private int _left = Parts;

    /// <summary>Begins.</summary>
    /// <param name="time">How long it is.</param>
    /// <param name="clock">Measures it.</param>
    /// <param name="giveUp">Cancelled at its end. Must outlive this.</param>
    public Grace(TimeSpan time, TimeProvider clock, CancellationTokenSource giveUp)
    {
        _giveUp = giveUp;
        var part = time / Parts;
        if (part < s_shortestPart)
            part = s_shortestPart;
        _timer = clock.CreateTimer(static grace => ((Grace)grace!).Pass(), this, part, part);
    }

    /// <summary>Ends it before its time.</summary>
    public ValueTask DisposeAsync() => _timer.DisposeAsync();

    private void Pass()
    {
        if (Interlocked.Decrement(ref _left) == 0)
            _giveUp.Cancel();
    }
}
