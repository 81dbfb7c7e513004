using Jackdaw.Documents.Reading;
using Jackdaw.Tests;
using Xunit;

namespace Jackdaw.Documents.Tests;

public sealed class ReaderAgeTests
{
    private readonly ManualClock _clock = new();
    private bool _hasWrites;

    [Theory]
    [InlineData(false, 99, false)]
    [InlineData(false, 100, true)]
    [InlineData(true, 9, false)]
    [InlineData(true, 10, true)]
    public void A_reader_is_due_ten_times_sooner_while_others_write(bool hasWrites, int milliseconds, bool isDue)
    {
        _hasWrites = hasWrites;
        var ages = new ReaderAges(_clock, Limits.Default, () => _hasWrites);
        long began = ages.Now;

        _clock.Advance(TimeSpan.FromMilliseconds(milliseconds));

        Assert.Equal(isDue, ages.IsDue(began));
    }

    [Fact]
    public void A_reader_that_is_old_enough_is_due_once_others_begin_to_write()
    {
        var ages = new ReaderAges(_clock, Limits.Default, () => _hasWrites);
        long began = ages.Now;
        _clock.Advance(TimeSpan.FromMilliseconds(50));
        Assert.False(ages.IsDue(began));

        _hasWrites = true;

        Assert.True(ages.IsDue(began));
    }
}
