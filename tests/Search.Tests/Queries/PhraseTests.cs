using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Postings;
using Jackdaw.Search.Queries;
using Jackdaw.Search.Reading;
using Jackdaw.Search.Tests.Entries;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>Words that stand one behind the other.</summary>
public sealed class PhraseTests(ITestOutputHelper output) : IDisposable
{
    private static readonly FieldOptions s_words = new()
    {
        Analyzer = AnalyzerKind.Standard,
        IsSortable = false,
        KeepsFrequencies = true,
        KeepsPositions = true,
    };

    private readonly IndexScene _scene = new();

    public void Dispose() => _scene.Dispose();

    [Theory]
    [InlineData("red wine", "red wine", true)]
    [InlineData("a glass of Red Wine, please", "red wine", true)]
    [InlineData("wine red", "red wine", false)]
    [InlineData("red sweet wine", "red wine", false)]
    [InlineData("red red wine", "red wine", true)]
    [InlineData("red red wine", "red red red wine", false)]
    [InlineData("new york new york", "new york new york", true)]
    [InlineData("new york, york new", "new york new york", false)]
    [InlineData("a b c a b c a b d", "a b d", true)]
    [InlineData("red", "red", true)]
    [InlineData("red-wine", "red wine", true)]
    [InlineData("red wine", "«Red»: wine!", true)]
    [InlineData("red wi*e", "red wi*", true)]
    [InlineData("red wine", "red wi*", false)]
    [InlineData("日本の酒", "本の", true)]
    [InlineData("日本の酒", "の本", false)]
    public void A_phrase_is_its_words_one_behind_the_other(string value, string phrase, bool fits) => RequireFits(fits, [value], phrase);

    [Theory]
    [InlineData("bread and wine", "bread and wine", true)]
    [InlineData("bread with wine", "bread and wine", true)]
    [InlineData("bread sweet wine", "bread and wine", true)]
    [InlineData("bread and the wine", "bread and wine", false)]
    [InlineData("bread wine", "bread and wine", false)]
    [InlineData("bread and wine", "bread wine", false)]
    [InlineData("bread wine", "the bread wine of the", true)]
    [InlineData("on the bread wine", "bread wine", true)]
    public void A_word_that_is_left_out_keeps_its_place_inside_a_phrase_and_has_none_at_its_ends(string value, string phrase, bool fits) =>
        RequireFits(fits, [value], phrase);

    [Theory]
    [InlineData(1)]
    [InlineData(50)]
    [InlineData(98)]
    public void No_phrase_reaches_from_one_value_of_a_field_into_the_next(int leftOut)
    {
        string between = string.Join(' ', Enumerable.Repeat("the", leftOut));

        RequireFits(false, ["red", "wine"], "red wine");
        RequireFits(false, ["red", "wine"], $"red {between} wine");
        RequireFits(false, ["red the", "the wine"], $"red {between} wine");
        RequireFits(true, ["x", $"red {between} wine"], $"red {between} wine");
    }

    [Fact]
    public void No_phrase_reaches_from_one_entry_of_a_source_into_the_next()
    {
        ushort field = _scene.Batch.Field("Body", s_words);
        _scene.Batch.BeginSource("docs/1"u8);
        foreach (string text in (string[])["red", "wine"])
        {
            _scene.Batch.BeginEntry();
            _scene.Batch.AddText(field, Encoding.UTF8.GetBytes(text));
        }
        _scene.Commit();

        Assert.Empty(Find(Phrase("red wine")));
    }

    [Fact]
    public void Phrases_and_words_are_any_of_them_or_each()
    {
        Put("docs/1", "cheap red wine");
        Put("docs/2", "cheap wine");
        Put("docs/3", "red wine from white grapes");
        _scene.Commit();

        Assert.Equal([1, 2, 3], Find(new SearchQuery.Words("Body", "cheap") { Phrases = ["red wine"] }));
        Assert.Equal([1], Find(new SearchQuery.Words("Body", "cheap", IsAll: true) { Phrases = ["red wine"] }));
        Assert.Equal([1], Find(new SearchQuery.Words("Body", "ch* the", IsAll: true) { Phrases = ["red wine", "the", ""] }));
        Assert.Equal([3], Find(new SearchQuery.Words("Body", "", IsAll: true) { Phrases = ["red wine", "white grapes"] }));
        Assert.Equal([1, 3], Find(Phrase("red wine")));
        Assert.Empty(Find(new SearchQuery.Words("Body", "the") { Phrases = ["", "of the"] }));
        Assert.Equal([2], Find(new SearchQuery.Not(Phrase("red wine"))));
    }

    [Fact]
    public void A_phrase_follows_updates_and_deletions()
    {
        Put("docs/1", "red wine");
        Put("docs/2", "wine red");
        _scene.Commit();
        Assert.Equal([1], Find(Phrase("red wine")));

        // The same words, so often as before, at other places.
        Put("docs/1", "wine red");
        Put("docs/2", "red wine");
        _scene.Commit();
        Assert.Equal([2], Find(Phrase("red wine")));

        _scene.Batch.DeleteSource("docs/2"u8);
        _scene.Commit();
        Assert.Empty(Find(Phrase("red wine")));
    }

    /// <summary>Of each form of postings: a phrase whose words are that common, at the borders of blocks too.</summary>
    [Theory]
    [InlineData(1, "Single")]
    [InlineData(5, "Packed")]
    [InlineData(TermBlock.MaxIds, "Large")]
    [InlineData(5 * TermBlock.MaxIds + 1, "Large")]
    public void A_phrase_is_found_whatever_the_size_of_its_words_postings(int entries, string form)
    {
        var expected = new List<long>();
        for (int i = 1; i <= entries; i++)
        {
            // Positions of one byte and of several, and phrases behind many places that are none.
            bool fits = i % 3 != 0;
            string before = string.Concat(Enumerable.Repeat("red white ", i % 7 * 40));
            Put($"docs/{i:D5}", $"{before} {(fits ? "red wine" : "wine red")} x");
            if (fits)
                expected.Add(i);
        }
        _scene.Commit();

        Assert.Equal(form, FormOf("wine").ToString());
        Assert.Equal(expected, Find(Phrase("red wine")));
    }

    [Fact]
    public void A_phrase_has_a_hundred_words_at_most()
    {
        string longest = string.Join(' ', Enumerable.Range(0, SearchQueryLimits.MaxPhraseWords).Select(i => $"w{i}"));
        Put("docs/1", $"x {longest} y");
        _scene.Commit();

        Assert.Equal([1], Find(Phrase(longest)));
        var refused = Assert.Throws<SearchQueryException>(() => Find(Phrase(longest + " y")));
        Assert.Contains("MaxPhraseWords", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void All_phrases_of_a_query_have_a_thousand_words_at_most()
    {
        Put("docs/1", "red wine");
        _scene.Commit();
        string[] phrases = [.. Enumerable.Repeat("red wine", SearchQueryLimits.MaxWordsOfPhrases / 2)];

        Assert.Equal([1], Find(new SearchQuery.Words("Body", "", IsAll: true) { Phrases = phrases }));
        var refused = Assert.Throws<SearchQueryException>(() =>
            Find(new SearchQuery.Words("Body", "") { Phrases = [.. phrases, "red wine"] })
        );
        Assert.Contains("MaxWordsOfPhrases", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_field_without_positions_refuses_phrases_and_takes_single_words()
    {
        ushort field = _scene.Batch.Field("Plain", s_words with { KeepsPositions = false });
        _scene.Batch.BeginSource("docs/1"u8);
        _scene.Batch.BeginEntry();
        _scene.Batch.AddText(field, "red wine"u8);
        _scene.Commit();

        Assert.Equal([1], Find(new SearchQuery.Words("Plain", "") { Phrases = ["red"] }));
        var refused = Assert.Throws<SearchQueryException>(() => Find(new SearchQuery.Words("Plain", "") { Phrases = ["red wine"] }));
        Assert.Contains("keeps no positions", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Only_entries_that_all_other_words_leave_have_their_positions_read()
    {
        for (int i = 1; i <= 20 * TermBlock.MaxIds; i++)
            Put($"docs/{i:D5}", i % (7 * TermBlock.MaxIds) == 0 ? "rare red wine" : "red wine");
        _scene.Commit();
        using var reader = _scene.Read();

        using var few = reader.Search(new SearchRequest { Query = Phrase("rare red wine") });
        long[] found = ReadAll(few);
        using var none = reader.Search(new SearchRequest { Query = new SearchQuery.And([Phrase("red wine"), Phrase("rare")]) });

        output.WriteLine(few.Explain() + none.Explain());
        Assert.Equal([7 * TermBlock.MaxIds, 14 * TermBlock.MaxIds], found);
        // "rare" lies in no block, "red" and "wine" in one for each entry.
        Assert.Contains(
            "phrase(Body, 'rare red wine'): at most 2, positions of 2 entries in 4 blocks",
            few.Explain(),
            StringComparison.Ordinal
        );
        Assert.Contains("positions of 2 entries in 4 blocks", none.Explain(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_cancelled_query_ends_while_it_compares_positions()
    {
        for (int i = 1; i <= 2000; i++)
            Put($"docs/{i:D5}", "red wine");
        _scene.Commit();
        using var reader = _scene.Read();
        using var cancelled = new CancellationTokenSource();
        using var run = new Matching.QueryRun(new Matching.IndexView(reader.Transaction), cancelled.Token);
        using var match = new Matching.MatchCompiler(run).Compile(Phrase("red wine"));
        var ids = new long[Matching.Match.BlockIds];
        Assert.Equal(ids.Length, match.Fill(ids));
        match.Rewind();

        cancelled.Cancel();

        Assert.Throws<OperationCanceledException>(() => match.Retain(ids.AsSpan(0, 1)));
    }

    [Theory]
    [Trait("Category", "Slow")]
    [InlineData(0, 80)]
    [InlineData(1, 1200)]
    public void Phrases_over_updated_entries_find_what_a_look_at_every_value_finds(int round, int sources)
    {
        int seed = Seeds.Of(700 + round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        var random = new Random(seed);
        var model = RandomEntries.Fill(_scene, random, sources);
        using var reader = _scene.Read();
        var naive = new NaiveIndex(model, reader);
        int found = 0;

        Prop.ForAll(
                RandomQueries.OfPhrases,
                query =>
                {
                    long[] expected = naive.Find(query);
                    using var result = reader.Search(new SearchRequest { Query = query });
                    Assert.Equal(expected, ReadAll(result));
                    found += expected.Length > 0 && result.Explain().Contains("phrase(", StringComparison.Ordinal) ? 1 : 0;
                }
            )
            .Check(Config.QuickThrowOnFailure.WithMaxTest(1500).WithReplay((ulong)seed, 1));

        output.WriteLine($"{found} queries found phrases");
        Assert.True(found > 100);
    }

    private static SearchQuery.Words Phrase(string text) => new("Body", "") { Phrases = [text] };

    private void RequireFits(bool fits, string[] values, string phrase)
    {
        Put("docs/1", values);
        _scene.Commit();
        Assert.Equal(fits ? [1] : [], Find(Phrase(phrase)));
    }

    private void Put(string source, params string[] values)
    {
        ushort field = _scene.Batch.Field("Body", s_words);
        _scene.Batch.BeginSource(Encoding.UTF8.GetBytes(source));
        _scene.Batch.BeginEntry();
        foreach (string value in values)
            _scene.Batch.AddText(field, Encoding.UTF8.GetBytes(value));
    }

    private long[] Find(SearchQuery query)
    {
        using var reader = _scene.Read();
        using var result = reader.Search(new SearchRequest { Query = query });
        return ReadAll(result);
    }

    private PostingForm FormOf(string word)
    {
        using var reader = _scene.Read();
        Span<byte> key = stackalloc byte[TextKey.MaxBytes];
        key = key[..TextKey.Write(Encoding.UTF8.GetBytes(word), key)];
        bool found = new Matching.IndexView(reader.Transaction).Field("Body")!.Texts.TryGet(key, out var record);
        Assert.True(found);
        return new TermRecord(record).Form;
    }

    private static long[] ReadAll(SearchResult result)
    {
        var all = new List<long>();
        var some = new long[1024];
        for (int filled; (filled = result.Read(some)) > 0; )
            all.AddRange(some[..filled]);
        return [.. all];
    }
}
