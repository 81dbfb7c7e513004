namespace Jackdaw.Documents.Reading;

/// <summary>Measures how long the readers of a database last. Thread-safe.</summary>
internal sealed class ReaderAges(TimeProvider clock, TimeSpan renewalAge)
{
    private long _longestTicks;
    private long _count;

    /// <summary>A timestamp of the clock.</summary>
    public long Now => clock.GetTimestamp();

    /// <summary>The longest that any reader has lasted.</summary>
    public TimeSpan Longest => new(Interlocked.Read(ref _longestTicks));

    /// <summary>Readers that have ended.</summary>
    public long Count => Interlocked.Read(ref _count);

    /// <summary>A reader that began then should end.</summary>
    public bool IsDue(long began) => clock.GetElapsedTime(began) >= renewalAge;

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
