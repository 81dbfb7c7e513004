using System.Text;
using Jackdaw.Search.Matching;
using Jackdaw.Search.Queries;
using Jackdaw.Search.Reading;
using Xunit;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>What a query may not cost, and how it says so.</summary>
public sealed class QueryLimitTests : IDisposable
{
    private readonly IndexScene _scene = new();

    public QueryLimitTests()
    {
        for (int i = 0; i < 3000; i++)
            Add($"n/{i}", $"{new string('a', 200 + i % 200)}{i:D5}");
        Add("odd", "Zoë 🐦 x");
        _scene.Commit();
    }

    public void Dispose() => _scene.Dispose();

    [Theory]
    [InlineData("(a{1000}){1000}", "MaxRegexRepeats")]
    [InlineData("((a{10}){10}){51}", "MaxRegexRepeats")]
    [InlineData("a{3000}b{3000}", "MaxRegexRepeats")]
    [InlineData("(", "malformed")]
    [InlineData("a{3,1}", "malformed")]
    [InlineData("(a)\\1", "linear time")]
    [InlineData("(?=a)b", "linear time")]
    public void An_expression_that_cannot_run_in_bounded_time_and_memory_is_refused(string pattern, string why)
    {
        var refused = Assert.Throws<SearchQueryException>(() => Find(new SearchQuery.Regex("Name", pattern)));
        Assert.Contains(why, refused.Message, StringComparison.Ordinal);
        // Whether the field is there or not.
        Assert.Throws<SearchQueryException>(() => Find(new SearchQuery.Regex("Nowhere", pattern)));
    }

    [Theory]
    [InlineData(1024, true)]
    [InlineData(1025, false)]
    public void An_expression_has_at_most_1024_characters(int length, bool isTaken)
    {
        var query = new SearchQuery.Regex("Name", new string('a', length));
        if (isTaken)
            Assert.Empty(Find(query));
        else
            Assert.Contains("MaxRegexCharacters", Assert.Throws<SearchQueryException>(() => Find(query)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_expression_that_makes_others_backtrack_for_ever_ends()
    {
        Assert.Empty(Find(new SearchQuery.Regex("Name", "^(a+)+$")));
        Assert.Equal(3000, Find(new SearchQuery.Regex("Name", "^(a|aa)+[0-9]+$")).Length);
    }

    [Fact]
    public void Wildcards_that_would_try_everything_end()
    {
        string pattern = string.Concat(Enumerable.Repeat("*a", 150)) + "*b";
        Assert.Empty(Find(new SearchQuery.Wildcard("Name", pattern)));
    }

    [Fact]
    public void The_work_of_patterns_is_limited()
    {
        using var reader = _scene.Read();
        using var run = new QueryRun(new IndexView(reader.Transaction), default);
        run.AddPatternWork(SearchQueryLimits.MaxPatternWork);
        var refused = Assert.Throws<SearchQueryException>(() => run.AddPatternWork(1));
        Assert.Contains("MaxPatternWork", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_question_mark_is_one_character_of_any_length()
    {
        Assert.Single(Find(new SearchQuery.Wildcard("Name", "zo? ? x")));
        Assert.Empty(Find(new SearchQuery.Wildcard("Name", "zo? ?? x")));
    }

    [Fact]
    public void A_query_nests_so_deep_and_no_deeper()
    {
        SearchQuery query = new SearchQuery.Exists("Name");
        for (int i = 0; i < 200; i++)
            query = new SearchQuery.Or([query, new SearchQuery.None()]);
        Assert.Equal(3001, Find(query).Length);
        for (int i = 0; i < 100; i++)
            query = new SearchQuery.Or([query, new SearchQuery.None()]);
        Assert.Contains("MaxQueryDepth", Assert.Throws<SearchQueryException>(() => Find(query)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Ten_thousand_conditions_side_by_side_are_one_query()
    {
        var conditions = Enumerable.Range(0, 10_000).Select(i => (SearchQuery)new SearchQuery.Suffix("Name", $"{i:D5}")).Take(40).ToList();
        conditions.AddRange(Enumerable.Range(0, 10_000).Select(i => new SearchQuery.Prefix("Name", $"zo{i}")));
        conditions.Add(new SearchQuery.Prefix("Name", "zo"));
        Assert.Equal(41, Find(new SearchQuery.Or(conditions)).Length);
    }

    [Fact]
    public void Numbers_that_are_none_are_refused()
    {
        var refused = Assert.Throws<SearchQueryException>(() =>
            Find(new SearchQuery.Term("Name", new SearchValue.Number(new SearchNumber(double.NaN))))
        );
        Assert.Contains("no number", refused.Message, StringComparison.Ordinal);
        var range = new SearchQuery.Range("Name", new SearchValue.Number(new SearchNumber(1)), true, new SearchValue.Text("a"), true);
        Assert.Contains("two numbers, two texts", Assert.Throws<SearchQueryException>(() => Find(range)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_order_by_a_field_without_a_column_is_refused()
    {
        using var reader = _scene.Read();
        var request = new SearchRequest { Query = new SearchQuery.All(), Order = [new SearchOrder(SearchOrderKind.Text, "Plain")] };
        var refused = Assert.Throws<SearchQueryException>(() => reader.Search(request));
        Assert.Contains("without a column", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_position_of_another_order_is_refused()
    {
        using var reader = _scene.Read();
        var request = new SearchRequest { Query = new SearchQuery.All(), Order = [new SearchOrder(SearchOrderKind.Text, "Name")] };
        Assert.Throws<SearchQueryException>(() => Read(reader, request with { After = new SearchPosition(new byte[] { 9, 9 }, 1) }));
    }

    [Fact]
    public void A_cancelled_query_ends_wherever_it_is()
    {
        using var reader = _scene.Read();
        using var cancelled = new CancellationTokenSource();
        var request = new SearchRequest
        {
            Query = new SearchQuery.Contains("Name", "a"),
            Order = [new SearchOrder(SearchOrderKind.Text, "Name")],
            Cancellation = cancelled.Token,
        };
        using var open = reader.Search(request);
        using var byId = reader.Search(request with { Order = [] });
        cancelled.Cancel();
        Assert.Throws<OperationCanceledException>(() => open.Read(new long[2000]));
        Assert.Throws<OperationCanceledException>(() => byId.Read(new long[2000]));
        Assert.Throws<OperationCanceledException>(() => reader.Search(request));
    }

    [Fact]
    public void A_query_that_is_cancelled_while_it_tests_terms_ends_there()
    {
        using var reader = _scene.Read();
        using var cancelled = new CancellationTokenSource();
        using var run = new QueryRun(new IndexView(reader.Transaction), cancelled.Token);
        var test = new CancellingTest(cancelled, after: 300);
        using var match = new PatternMatch(run, new IndexView(reader.Transaction).Field("Name")!, test, "");
        Assert.Throws<OperationCanceledException>(() => match.Collected());
        Assert.InRange(test.Tested, 300, 600);
    }

    [Theory]
    [InlineData("^abc", "abc")]
    [InlineData("^abc*", "ab")]
    [InlineData("^abc?d", "ab")]
    [InlineData("^abc+", "ab")]
    [InlineData("^ab{2}", "a")]
    [InlineData("^a.c", "a")]
    [InlineData("^(abc)", "")]
    [InlineData("^abc|d", "")]
    [InlineData("abc", "")]
    [InlineData("^x\\d", "x")]
    [InlineData("^", "")]
    [InlineData("^a/b-1 x$", "a/b-1 x")]
    public void The_literal_prefix_of_an_expression_is_what_every_match_begins_with(string pattern, string prefix) =>
        Assert.Equal(prefix, RegexTest.LiteralPrefix(pattern));

    private long[] Find(SearchQuery query)
    {
        using var reader = _scene.Read();
        return Read(reader, new SearchRequest { Query = query });
    }

    private static long[] Read(SearchReader reader, SearchRequest request)
    {
        using var result = reader.Search(request);
        var found = new long[5000];
        int count = result.Read(found);
        return found[..count];
    }

    private void Add(string source, string name)
    {
        _scene.Batch.BeginSource(Encoding.UTF8.GetBytes(source));
        _scene.Batch.BeginEntry();
        _scene.Batch.AddText(_scene.Batch.Field("Name", new FieldOptions()), Encoding.UTF8.GetBytes(name));
        _scene.Batch.AddText(_scene.Batch.Field("Plain", new FieldOptions { IsSortable = false }), "x"u8);
    }

    private sealed class CancellingTest(CancellationTokenSource source, int after) : ITermTest
    {
        public int Tested { get; private set; }

        public ReadOnlySpan<byte> Prefix => default;

        public bool Fits(ReadOnlySpan<byte> term, ref long work)
        {
            if (++Tested == after)
                source.Cancel();
            return true;
        }
    }
}
