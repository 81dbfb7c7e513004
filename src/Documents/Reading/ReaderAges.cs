namespace Jackdaw.Documents.Reading;

/// <summary>Measures how long the readers of a database last. Thread-safe.</summary>
/// <param name="clock">Measures with it.</param>
/// <param name="limits">When a reader is due.</param>
/// <param name="hasWrites">Others write at present, and readers that last are to give way sooner.</param>
internal sealed class ReaderAges(TimeProvider clock, Limits limits, Func<bool> hasWrites)
{
    private readonly TimeSpan _renewalAge = limits.ReaderRenewalAge;
    private readonly TimeSpan _besideWrites = limits.ReaderRenewalAgeBesideWrites;
    private long _longestTicks;
    private long _count;

    /// <summary>A timestamp of the clock.</summary>
    public long Now => clock.GetTimestamp();

    /// <summary>The longest that any reader has lasted.</summary>
    public TimeSpan Longest => new(Interlocked.Read(ref _longestTicks));

    /// <summary>Readers that have ended.</summary>
    public long Count => Interlocked.Read(ref _count);

    /// <summary>A reader that began then should end.</summary>
    public bool IsDue(long began)
    {
        var age = clock.GetElapsedTime(began);
        return age >= _renewalAge || (age >= _besideWrites && hasWrites());
    }

    /// <summary>A reader that began then has ended.</summary>
    public void Ended(long began)
    {
        Interlocked.Increment(ref _count);
        long age = clock.GetElapsedTime(began).Ticks;
        long longest = Interlocked.Read(ref _longestTicks);
        while (age > longest)
        {
            long seen = Interlocked.CompareExchange(ref _longestTicks, age, longest);
            if (seen == longest)
                return;
            longest = seen;
        }
    }
}
