using System.Globalization;
using System.Text;
using Jackdaw.Documents.Json;
using Xunit;

namespace Jackdaw.Documents.Tests.Expiring;

public sealed class ProtocolDateTests
{
    [Theory]
    [InlineData("2026-11-22T21:57:53.1234567Z", "2026-11-22T21:57:53.1234567")]
    [InlineData("2026-11-22T21:57:53.1234567", "2026-11-22T21:57:53.1234567")]
    [InlineData("2026-11-22T21:57:53.9380000Z", "2026-11-22T21:57:53.9380000")]
    [InlineData("2026-11-22T21:57:53.938Z", "2026-11-22T21:57:53.9380000")]
    [InlineData("2026-11-22T21:57:53Z", "2026-11-22T21:57:53.0000000")]
    [InlineData("2026-11-22T21:57Z", "2026-11-22T21:57:00.0000000")]
    [InlineData("2026-11-22t21:57:53z", "2026-11-22T21:57:53.0000000")]
    [InlineData("2026-11-22 21:57:53", "2026-11-22T21:57:53.0000000")]
    [InlineData("2026-11-22", "2026-11-22T00:00:00.0000000")]
    [InlineData("2026-11-22T21:57:53.1234567+02:00", "2026-11-22T19:57:53.1234567")]
    [InlineData("2026-11-22T21:57:53-0530", "2026-11-23T03:27:53.0000000")]
    [InlineData("2026-11-22T21:57:53+02", "2026-11-22T19:57:53.0000000")]
    [InlineData("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.0000000")]
    [InlineData("0001-01-01T00:00:00.0000000", "0001-01-01T00:00:00.0000000")]
    [InlineData("9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.9999999")]
    public void A_date_is_read_as_the_moment_in_utc(string text, string utc)
    {
        Assert.True(ProtocolDate.TryParse(Encoding.UTF8.GetBytes(text), out long ticks));
        Assert.Equal(utc, ProtocolDate.ToText(ticks, withZ: false));
    }

    /// <summary>The written form is read by a way of its own; a blank in place of the <c>T</c> makes it one of the others.</summary>
    [Theory]
    [InlineData("2026-11-22T21:57:53.1234567")]
    [InlineData("2024-02-29T09:08:07.0000001Z")]
    [InlineData("9999-12-31T23:59:59.9999999Z")]
    [InlineData("0001-01-01T00:00:00.0000000")]
    public void Whatever_byte_stands_in_the_written_form_it_is_read_as_any_other_form(string written)
    {
        const int T = 10;
        for (int at = 0; at < written.Length; at++)
        {
            for (int character = 0; at != T && character <= byte.MaxValue; character++)
            {
                byte[] text = Encoding.ASCII.GetBytes(written);
                text[at] = (byte)character;
                bool isRead = ProtocolDate.TryParse(text, out long ticks);
                text[T] = (byte)' ';
                bool isReadOtherwise = ProtocolDate.TryParse(text, out long otherwise);
                Assert.True((isRead, ticks) == (isReadOtherwise, otherwise), $"{Encoding.Latin1.GetString(text)}: {ticks} and {otherwise}");
            }
        }
    }

    [Fact]
    public void What_lies_between_two_ticks_counts_as_the_later_one_so_that_nothing_is_early()
    {
        Assert.True(ProtocolDate.TryParse("2026-11-22T21:57:53.123456701Z"u8, out long ticks));
        Assert.Equal("2026-11-22T21:57:53.1234568Z", ProtocolDate.ToText(ticks, withZ: true));
    }

    [Theory]
    [InlineData("0001-01-01T00:00:00+14:00", 0)]
    [InlineData("9999-12-31T23:59:59-14:00", 3155378975999999999)]
    public void An_offset_that_leads_out_of_the_years_1_to_9999_gives_their_first_or_last_tick(string text, long expected)
    {
        Assert.True(ProtocolDate.TryParse(Encoding.UTF8.GetBytes(text), out long ticks));
        Assert.Equal(expected, ticks);
    }

    [Theory]
    [InlineData("")]
    [InlineData("tomorrow")]
    [InlineData("2026")]
    [InlineData("2026-11")]
    [InlineData("2026-1-2")]
    [InlineData("20261122")]
    [InlineData("2026-13-01T00:00:00Z")]
    [InlineData("2026-00-01T00:00:00Z")]
    [InlineData("2026-02-29T00:00:00Z")]
    [InlineData("2026-11-00T00:00:00Z")]
    [InlineData("0000-01-01T00:00:00Z")]
    [InlineData("10000-01-01T00:00:00Z")]
    [InlineData("2026-11-22T24:00:00Z")]
    [InlineData("2026-11-22T23:60:00Z")]
    [InlineData("2026-11-22T23:59:60Z")]
    [InlineData("2026-11-22T")]
    [InlineData("2026-11-22T21")]
    [InlineData("2026-11-22T21:57:53.Z")]
    [InlineData("2026-11-22T21:57:53.1234567890Z")]
    [InlineData("2026-11-22T21:57:53,5Z")]
    [InlineData("2026-11-22T21:57:53ZZ")]
    [InlineData("2026-11-22T21:57:53Z ")]
    [InlineData(" 2026-11-22T21:57:53Z")]
    [InlineData("2026-11-22T21:57:53+")]
    [InlineData("2026-11-22T21:57:53+02:")]
    [InlineData("2026-11-22T21:57:53+02:0")]
    [InlineData("2026-11-22T21:57:53+24:00")]
    [InlineData("2026-11-22T21:57:53+02:60")]
    [InlineData("2026-11-22\0")]
    [InlineData("-026-11-22T21:57:53Z")]
    [InlineData("/Date(1763848673000)/")]
    [InlineData("Sun, 22 Nov 2026 21:57:53 GMT")]
    [InlineData("1763848673")]
    public void What_is_no_date_is_not_read(string text) => Assert.False(ProtocolDate.TryParse(Encoding.UTF8.GetBytes(text), out _));

    [Fact]
    public void Whatever_the_protocol_writes_is_read_as_it_was()
    {
        var random = new Random(7);
        for (int i = 0; i < 10_000; i++)
        {
            long ticks = random.NextInt64(DateTime.MaxValue.Ticks + 1);
            string text = ProtocolDate.ToText(ticks, withZ: random.Next(2) == 0);
            Assert.True(ProtocolDate.TryParse(Encoding.UTF8.GetBytes(text), out long read), text);
            Assert.Equal(ticks, read);
            var offset = TimeSpan.FromMinutes(random.Next(-14 * 60, (14 * 60) + 1));
            var moment = new DateTimeOffset(
                Math.Clamp(ticks, TimeSpan.TicksPerDay, DateTime.MaxValue.Ticks - TimeSpan.TicksPerDay),
                offset
            );
            Assert.True(ProtocolDate.TryParse(Encoding.UTF8.GetBytes(moment.ToString("O", CultureInfo.InvariantCulture)), out read));
            Assert.Equal(moment.UtcTicks, read);
        }
    }
}
