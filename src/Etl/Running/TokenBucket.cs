using Jackdaw.Storage;

namespace Jackdaw.Etl.Running;

/// <summary>
/// Tokens that come in at a rate, a second's worth of them at most (and at least one). More can be taken than there are: what
/// follows waits for it. Belongs to one thread.
/// </summary>
internal sealed class TokenBucket
{
    /// <summary>A wait that is longer is asked for again when so much has passed; what is owed stays owed.</summary>
    private const double MostSeconds = 24 * 3600;

    private readonly TimeProvider _clock;
    private double? _perSecond;
    private double _tokens;
    private long _at;

    /// <param name="clock">Measures.</param>
    /// <param name="perSecond">Above zero; null: no limit.</param>
    public TokenBucket(TimeProvider clock, double? perSecond)
    {
        Invariant.Require(perSecond is null or > 0);
        _clock = clock;
        _perSecond = perSecond;
        _at = clock.GetTimestamp();
        _tokens = Capacity;
    }

    private double Capacity => Math.Max(1, _perSecond ?? 1);

    /// <summary>Whole tokens that are there; <see cref="int.MaxValue"/> without a limit.</summary>
    public int Available
    {
        get
        {
            Refill();
            return _perSecond is null ? int.MaxValue : (int)Math.Clamp(Math.Floor(_tokens), 0, int.MaxValue);
        }
    }

    /// <summary>How long there is no whole token; zero when there is one.</summary>
    public TimeSpan Wait()
    {
        Refill();
        if (_perSecond is not { } rate || _tokens >= 1)
            return TimeSpan.Zero;
        // A tick more: the division must not end just below the whole.
        return TimeSpan.FromTicks((long)Math.Ceiling(Math.Min(MostSeconds, (1 - _tokens) / rate) * TimeSpan.TicksPerSecond) + 1);
    }

    public void Take(int tokens)
    {
        Invariant.Require(tokens >= 0);
        Refill();
        if (_perSecond is not null)
            _tokens -= tokens;
    }

    /// <summary>What is owed at the former rate is owed at the new one; null: no limit, nothing owed.</summary>
    public void SetRate(double? perSecond)
    {
        Invariant.Require(perSecond is null or > 0);
        Refill();
        bool wasUnlimited = _perSecond is null;
        _perSecond = perSecond;
        _tokens = wasUnlimited || perSecond is null ? Capacity : Math.Min(_tokens, Capacity);
    }

    private void Refill()
    {
        long now = _clock.GetTimestamp();
        if (_perSecond is { } rate)
            _tokens = Math.Min(Capacity, _tokens + (_clock.GetElapsedTime(_at, now).TotalSeconds * rate));
        _at = now;
    }
}
