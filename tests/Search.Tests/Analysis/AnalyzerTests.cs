using System.Text;
using Jackdaw.Search.Analysis;
using Xunit;

namespace Jackdaw.Search.Tests.Analysis;

public sealed class AnalyzerTests
{
    [Theory]
    [InlineData("Hello World", "hello world")]
    [InlineData("", "")]
    [InlineData("ÄRGER Ωmega İ", "ärger ωmega i̇")]
    [InlineData("already lower", "already lower")]
    [InlineData("MIXED ascii THEN Ünicode AND ascii", "mixed ascii then ünicode and ascii")]
    [InlineData("𐐀 deseret", "𐐨 deseret")]
    public void The_lower_case_keyword_is_the_whole_text_in_lower_case(string text, string term)
    {
        // U+0130 has no simple mapping of one character; the invariant one leaves it.
        string expected = term.Replace("i̇", "İ", StringComparison.Ordinal);
        Assert.Equal([(expected, 0u)], Terms(AnalyzerKind.LowerCaseKeyword, Encoding.UTF8.GetBytes(text)));
    }

    [Fact]
    public void The_exact_analyzer_changes_nothing() =>
        Assert.Equal([("Hello, World", 0u)], Terms(AnalyzerKind.Exact, "Hello, World"u8.ToArray()));

    [Theory]
    [InlineData(AnalyzerKind.Exact)]
    [InlineData(AnalyzerKind.LowerCaseKeyword)]
    public void Invalid_bytes_become_the_replacement_character(AnalyzerKind kind) =>
        Assert.Equal([("a\uFFFDb\uFFFD", 0u)], Terms(kind, [(byte)'a', 0xFF, (byte)'b', 0xE2, 0x82]));

    [Theory]
    [InlineData("The quick brown fox", "quick@1 brown@2 fox@3")]
    [InlineData("", "")]
    [InlineData(" .,;!? ", "")]
    [InlineData("the and of", "")]
    [InlineData("can't O'Neill rock'n'roll 'quoted'", "can't@0 o'neill@1 rock'n'roll@2 quoted@3")]
    [InlineData("3.14 1,000,000 1.a a.1 v1.2", "3.14@0 1,000,000@1 1@2 1@5 v1.2@6")]
    [InlineData("www.example.com a.b. end.", "www.example.com@0 a.b@1 end@2")]
    [InlineData("snake_case kebab-case x:y", "snake_case@0 kebab@1 case@2 x:y@3")]
    [InlineData("STRASSE Straße ÉCOLE", "strasse@0 straße@1 école@2")]
    [InlineData("日本語 ひら カタカナ", "日@0 本@1 語@2 ひ@3 ら@4 カタカナ@5")]
    [InlineData("cafe\u0301 naïve", "cafe\u0301@0 naïve@1")]
    [InlineData("to be or not to be: that is the question", "question@9")]
    [InlineData("mail me@example.org", "mail@0 me@1 example.org@2")]
    public void Words_are_found_as_Unicode_says_without_English_stop_words(string text, string expected)
    {
        // 'a' is a stop word: its place stays.
        string found = string.Join(
            ' ',
            Terms(AnalyzerKind.Standard, Encoding.UTF8.GetBytes(text)).Select(term => $"{term.Term}@{term.Position}")
        );
        Assert.Equal(expected, found);
    }

    [Fact]
    public void A_word_that_is_too_long_is_divided_and_nothing_is_lost()
    {
        string text = new string('x', 1_000) + "ä" + new string('y', 300);
        var terms = Terms(AnalyzerKind.Standard, Encoding.UTF8.GetBytes(text));
        Assert.Equal(text, string.Concat(terms.Select(term => term.Term)));
        Assert.All(terms, term => Assert.InRange(Encoding.UTF8.GetByteCount(term.Term), 1, StandardAnalyzer.MaxWordBytes));
    }

    [Fact]
    public void Any_bytes_at_all_are_analyzed()
    {
        var random = new Random(Seeds.Of(0));
        for (int i = 0; i < 3_000; i++)
        {
            var bytes = new byte[random.Next(80)];
            random.NextBytes(bytes);
            foreach (var kind in Enum.GetValues<AnalyzerKind>())
            {
                foreach (var (term, _) in Terms(kind, bytes))
                    Assert.True(kind != AnalyzerKind.Standard || term.Length > 0);
            }
        }
    }

    [Fact]
    public void Analyzing_ascii_allocates_nothing()
    {
        var sink = new Counter();
        byte[] text = "The quick brown fox jumps over the lazy dog, 3 times"u8.ToArray();
        foreach (var kind in Enum.GetValues<AnalyzerKind>())
        {
            var analyzer = Analyzers.Of(kind);
            analyzer.Analyze(text, sink);
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < 100; i++)
                analyzer.Analyze(text, sink);
            Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        }
        Assert.True(sink.Terms > 0);
    }

    private static List<(string Term, uint Position)> Terms(AnalyzerKind kind, byte[] utf8)
    {
        var sink = new Collector();
        Analyzers.Of(kind).Analyze(utf8, sink);
        return sink.Terms;
    }

    private sealed class Collector : ITermSink
    {
        public List<(string Term, uint Position)> Terms { get; } = [];

        public void Add(ReadOnlySpan<byte> term, uint position) => Terms.Add((Encoding.UTF8.GetString(term), position));
    }

    private sealed class Counter : ITermSink
    {
        public int Terms { get; private set; }

        public void Add(ReadOnlySpan<byte> term, uint position) => Terms++;
    }
}
