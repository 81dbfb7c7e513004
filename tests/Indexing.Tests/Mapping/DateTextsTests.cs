using System.Text;
using Jackdaw.Indexing.Mapping;
using Xunit;

namespace Jackdaw.Indexing.Tests.Mapping;

/// <summary>Which texts are dates, and the one form that each moment has in an index.</summary>
public class DateTextsTests
{
    [Theory]
    [InlineData("2026-11-22T10:00:00.0000000")]
    [InlineData("2026-11-22T10:00:00.0000000+00:00")]
    [InlineData("2026-11-22T10:00:00Z")]
    [InlineData("2026-11-22T10:00")]
    [InlineData("2026-11-22 10:00:00.0000000Z")]
    [InlineData("2026-11-22t10:00:00.000z")]
    [InlineData("2026-11-22T11:00:00+01:00")]
    [InlineData("2026-11-22T11:00:00.0000000+0100")]
    [InlineData("2026-11-22T04:30:00.000000000-05:30")]
    [InlineData("2026-11-21T20:00:00-14")]
    public void A_moment_has_one_form_however_it_is_written(string date) =>
        Assert.Equal("2026-11-22T10:00:00.0000000Z", DateTexts.Of(date));

    [Theory]
    [InlineData("2026-11-22", "2026-11-22T00:00:00.0000000Z")]
    [InlineData("2026-11-22T23:30:00.1234567-01:00", "2026-11-23T00:30:00.1234567Z")]
    [InlineData("2026-11-22T10:00:00.123456701Z", "2026-11-22T10:00:00.1234568Z")]
    [InlineData("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00.0000000Z")]
    [InlineData("9999-12-31T23:59:59.9999999-14:00", "9999-12-31T23:59:59.9999999Z")]
    public void A_date_becomes_its_moment_in_utc(string date, string moment) => Assert.Equal(moment, DateTexts.Of(date));

    [Theory]
    // The form itself, and its casing, which analyzers take away.
    [InlineData("2026-11-22T10:00:00.0000000Z")]
    [InlineData("2026-11-22t10:00:00.0000000z")]
    // Parts of dates, and what only looks like one.
    [InlineData("")]
    [InlineData("2026")]
    [InlineData("2026-11")]
    [InlineData("2026-11-22T")]
    [InlineData("2026-11-22T10")]
    [InlineData("2026-11-22T10:00:00.")]
    [InlineData("2026-11-22T10:00:00Z ")]
    [InlineData(" 2026-11-22")]
    [InlineData("2026-11-31")]
    [InlineData("2026-13-01")]
    [InlineData("2026-02-29")]
    [InlineData("0000-01-01")]
    [InlineData("2026-11-22T24:00:00Z")]
    [InlineData("2026-11-22T10:00:60Z")]
    [InlineData("2026-11-32T10:00:00.0000000Z")]
    [InlineData("2026-11-22T10:00:00.0000000000Z")]
    [InlineData("2026-1-2-3-4-5")]
    [InlineData("abcd-ef-gh")]
    [InlineData("20261122T100000Z")]
    [InlineData("2026-11-22T10:00:00+24:00")]
    [InlineData("２０２６-11-22")]
    [InlineData("2026-11-2２")]
    [InlineData("\ud800-2026-11-22")]
    [InlineData("the meeting of 2026-11-22 at 10:00 was put off")]
    public void Any_other_text_stays_as_it_is(string text) => Assert.Equal(text, DateTexts.Of(text));

    /// <summary>The text that has the form already is not parsed: nothing of its shape may be a date in another form.</summary>
    [Fact]
    public void No_text_of_the_forms_shape_is_a_date_in_another_form()
    {
        var random = new Random(1);
        byte[] form = "2026-11-22T10:00:00.0000000Z"u8.ToArray();
        byte[] alphabet = "0123456789Zz+-:. Tt"u8.ToArray();
        byte[] room = new byte[DateTexts.Length];
        for (int i = 0; i < 100_000; i++)
        {
            byte[] text = [.. form];
            for (int changes = random.Next(1, 4); changes > 0; changes--)
                text[random.Next(text.Length)] = alphabet[random.Next(alphabet.Length)];
            if (!Documents.Json.ProtocolDate.TryParse(text, out long ticks))
                continue;
            Documents.Json.ProtocolDate.Format(ticks, room, withZ: true);
            string moment = Encoding.ASCII.GetString(room);
            Assert.Equal(moment, DateTexts.Of(Encoding.ASCII.GetString(text)), ignoreCase: true);
        }
    }
}
