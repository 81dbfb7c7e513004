using System.Buffers;
using System.Text;
using System.Text.Json;
using Jackdaw.Scripting.Json;
using Xunit;

namespace Jackdaw.Scripting.Tests;

/// <summary>Numbers and texts that a script does not touch stay what they were.</summary>
public class NumberTests
{
    [Theory]
    [InlineData("9007199254740993")]
    [InlineData("-9007199254740993")]
    [InlineData("18446744073709551615")]
    [InlineData("0.1234567890123456789012345678901234567890")]
    [InlineData("1e400")]
    [InlineData("-1E+400")]
    [InlineData("1e-400")]
    [InlineData("123456789012345678901234567890.5e-3")]
    public void A_number_that_a_double_cannot_hold_comes_back_as_it_was(string number)
    {
        Assert.Equal(
            $$"""{"a":{{number}},"b":[{"c":{{number}}}]}""",
            Bench.Run("return this;", $$"""{"a":{{number}},"b":[{"c":{{number}}}]}""")
        );
        Assert.Equal($"[{number}]", Bench.Run("return [args.x];", "{}", $$"""{"x":{{number}}}"""));
        Assert.Equal(number, Bench.Run("return reparse(JSON.stringify(this)).a;", $$"""{"a":{{number}}}"""));
    }

    [Theory]
    [InlineData("return typeof this.a;", "\"object\"")]
    [InlineData("return this.a === this.b && this.a == args.a;", "true")]
    [InlineData("return this.a + 1;", "9007199254740992")]
    [InlineData("return this.a > 5;", "true")]
    [InlineData("return `${this.a}`;", "\"9007199254740992\"")]
    [InlineData("return JSON.parse(JSON.stringify(this)).a;", "9007199254740992")]
    [InlineData("return 2n ** 64n;", "18446744073709551616")]
    [InlineData("return typeof this.c;", "\"number\"")]
    public void Inside_the_script_it_is_a_number_object(string source, string expected) =>
        Assert.Equal(
            expected,
            Bench.Run(source, """{"a":9007199254740993,"b":9007199254740993,"c":12.50}""", """{"a":9007199254740993}""")
        );

    [Theory]
    [InlineData("9007199254740993")]
    [InlineData("-123456789.1234567")]
    [InlineData("1e400")]
    [InlineData("4E-324")]
    public void It_is_found_wherever_it_stands(string number)
    {
        for (int padding = 0; padding < 100; padding++)
        {
            var json = $$"""{"{{new string('x', padding)}}":{{number}},"{{new string('y', padding % 7)}}":1}""";
            Assert.True(LossyNumbers.MayHaveAny(Encoding.ASCII.GetBytes(json)), json);
        }
    }

    [Fact]
    public void Documents_without_long_numbers_are_passed_at_a_glance() =>
        Assert.False(
            LossyNumbers.MayHaveAny(
                """{"at":"1996-07-04T00:00:00.0000000","freight":32.3812,"n":123456789012345,"text":"theme five","@metadata":{"@change-vector":"A:12-abcde"}}"""u8
            )
        );

    [Fact]
    public void A_text_that_looks_like_a_mark_is_a_text() =>
        Assert.Equal("[\"\uE000\",1]", Bench.Run("return [this.t, 1];", """{"t":"\ue000","n":9007199254740993}"""));

    [Theory]
    [InlineData("1", false)]
    [InlineData("123456789012345", false)]
    [InlineData("9007199254740992", false)]
    [InlineData("9007199254740993", true)]
    [InlineData("9007199254740994", false)]
    [InlineData("0.1000000000000000000", false)]
    [InlineData("0.1000000000000000055", true)]
    [InlineData("1.7976931348623157e308", false)]
    [InlineData("5e-324", false)]
    [InlineData("4e-324", true)]
    [InlineData("0e99999999999999999999999", false)]
    [InlineData("-0.0", false)]
    [InlineData("1000000000000000000000000000000", false)]
    public void Lossy_is_what_a_double_gives_back_with_another_value(string number, bool isLossy) =>
        Assert.Equal(isLossy, DecimalText.IsLossy(Encoding.ASCII.GetBytes(number)));

    [Theory]
    [InlineData("1", "1.0", true)]
    [InlineData("100", "1e2", true)]
    [InlineData("0", "-0.00", true)]
    [InlineData("0.001", "1E-3", true)]
    [InlineData("1", "-1", false)]
    [InlineData("1", "10", false)]
    [InlineData("12.75", "12.7500", true)]
    [InlineData("9007199254740993", "9007199254740992", false)]
    [InlineData("1e99999999999999999999", "1e-99999999999999999999", false)]
    public void Decimals_are_compared_by_value(string left, string right, bool areEqual) =>
        Assert.Equal(areEqual, DecimalText.AreEqual(Encoding.ASCII.GetBytes(left), Encoding.ASCII.GetBytes(right)));

    [Theory]
    [InlineData("""{"a":12.7500}""", """{"a":12.75}""", null)]
    [InlineData("""{"b":1.0,"1":"\u0041"}""", """{"1":"A","b":1}""", null)]
    [InlineData("""{"b":1.0,"1":"\u0041"}""", """{"1":"A","b":2}""", """{"b":2,"1":"\u0041"}""")]
    [InlineData("""{"a":1.0}""", """{"a":1,"n":{"x":2}}""", """{"a":1.0,"n":{"x":2}}""")]
    [InlineData("""{"a":1.0,"b":2.0}""", """{"b":2}""", """{"b":2.0}""")]
    [InlineData("""{"l":[1.0,2.0,3.0]}""", """{"l":[2,3]}""", """{"l":[2.0,3.0]}""")]
    [InlineData("""{"l":[1.0,2.0,3.0]}""", """{"l":[1,9,2,3]}""", """{"l":[1.0,9,2.0,3.0]}""")]
    [InlineData("""{"l":[{"q":1.0},{"q":2.0}]}""", """{"l":[{"q":1},{"q":5}]}""", """{"l":[{"q":1.0},{"q":5}]}""")]
    [InlineData("""{"a":1,"a":2.0}""", """{"a":2}""", null)]
    [InlineData("""{"a":1,"a":2.0}""", """{"a":2,"b":1}""", """{"a":2.0,"b":1}""")]
    [InlineData("""{"a":"\ud800"}""", """{"a":"\ud800","b":1}""", """{"a":"\ud800","b":1}""")]
    [InlineData("""{"\ud800":"\/"}""", """{"\ud800":"/","b":1}""", """{"\ud800":"\/","b":1}""")]
    [InlineData("""{"a":[1]}""", """{"a":{"0":1}}""", """{"a":{"0":1}}""")]
    [InlineData("""{"a":null}""", """{"a":false}""", """{"a":false}""")]
    [InlineData("""{ "a" : [ 1.0 , 2 ] }""", """{"a":[1,2]}""", null)]
    public void A_merge_has_the_values_of_the_result_in_the_words_of_the_original(string original, string result, string? expected)
    {
        var output = new ArrayBufferWriter<byte>();
        bool isChanged = UntouchedJson.Merge(Encoding.UTF8.GetBytes(original), Encoding.UTF8.GetBytes(result), output);
        Assert.Equal(expected is not null, isChanged);
        Assert.Equal(expected ?? "", Encoding.UTF8.GetString(output.WrittenSpan));
    }

    [Fact]
    public void A_merge_of_random_documents_always_has_the_values_of_the_result()
    {
        int seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_SEED"), out int given) ? given : Environment.TickCount;
        var random = new Random(seed);
        for (int round = 0; round < 2000; round++)
        {
            var original = Document(random, 3);
            var result = random.Next(4) == 0 ? original : Document(random, 3);
            var output = new ArrayBufferWriter<byte>();
            bool isChanged = UntouchedJson.Merge(Encoding.UTF8.GetBytes(original), Encoding.UTF8.GetBytes(result), output);
            using var expected = JsonDocument.Parse(result);
            using var actual = JsonDocument.Parse(isChanged ? output.WrittenMemory : Encoding.UTF8.GetBytes(original));
            Assert.True(
                JsonElement.DeepEquals(expected.RootElement, actual.RootElement),
                $"seed {seed}: {original} and {result} gave {actual.RootElement}"
            );
        }
    }

    /// <summary>Of few names and values, so that two have much in common.</summary>
    private static string Document(Random random, int depth) =>
        random.Next(depth > 0 ? 7 : 4) switch
        {
            0 => random.Next(2) == 0 ? "1" : "1.0",
            1 => random.Next(2) == 0 ? "20" : "2e1",
            2 => random.Next(2) == 0 ? "\"A\"" : "\"\\u0041\"",
            3 => "null",
            4 => $"[{string.Join(',', Enumerable.Range(0, random.Next(4)).Select(_ => Document(random, depth - 1)))}]",
            _ =>
                $"{{{string.Join(',', new[] { "a", "b", "1", "c" }.Where(_ => random.Next(2) == 0).OrderBy(_ => random.Next()).Select(n => $"\"{n}\":{Document(random, depth - 1)}"))}}}",
        };
}
