namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>
/// What live readers may take of the processors while others write: a fixed share, which is saved up for a short while. Not
/// thread-safe.
/// </summary>
internal sealed class LiveBudget
{
    private readonly TimeProvider _clock;
    private readonly double _share;
    private readonly TimeSpan _most;
    private TimeSpan _saved;
    private long _since;

    /// <param name="clock">Measures.</param>
    /// <param name="share">Processors: 0.25 is a quarter of one.</param>
    /// <param name="most">Saved up at most.</param>
    public LiveBudget(TimeProvider clock, double share, TimeSpan most)
    {
        _clock = clock;
        _share = share;
        _saved = _most = most;
        _since = clock.GetTimestamp();
    }

    /// <summary>How long to rest until nothing is owed; zero while something is saved.</summary>
    public TimeSpan Rest
    {
        get
        {
            Earn();
            return _saved < TimeSpan.Zero ? -_saved / _share : TimeSpan.Zero;
        }
    }

    /// <summary>Work took so long.</summary>
    public void Spend(TimeSpan time)
    {
        Earn();
        _saved -= time;
    }

    private void Earn()
    {
        var now = _clock.GetTimestamp();
        var saved = _saved + (_share * _clock.GetElapsedTime(_since, now));
        _saved = saved < _most ? saved : _most;
        _since = now;
    }
}
