using System.Text;
using Jackdaw.Search.Queries;
using Jackdaw.Search.Reading;
using Xunit;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>Totals of ranges: from the sums of the dictionary as long as no entry has several values, by a union from then on.</summary>
public sealed class TotalTests : IDisposable
{
    private readonly IndexScene _scene = new();

    public void Dispose() => _scene.Dispose();

    [Fact]
    public void A_total_is_exact_before_and_after_the_first_entry_with_several_values()
    {
        for (int i = 0; i < 2000; i++)
            Add($"{i}", i % 500);
        _scene.Commit();
        Assert.Equal((401 * 4, "counted by the sums of the dictionary"), Total(50, 450));

        Add("several", 100, 101, 449, 600);
        _scene.Commit();
        Assert.Equal((401 * 4 + 1, "a union of the terms' postings"), Total(50, 450));

        // The entry has gone, but that another one may come is known.
        _scene.Batch.DeleteSource("several"u8);
        _scene.Commit();
        Assert.Equal((401 * 4, "a union of the terms' postings"), Total(50, 450));
        Assert.Equal(0, Total(501, 599).Total);
    }

    [Fact]
    public void A_total_counts_updates_and_deletions()
    {
        for (int i = 0; i < 500; i++)
            Add($"{i}", i);
        _scene.Commit();
        for (int i = 0; i < 500; i += 2)
            Add($"{i}", i + 1000);
        for (int i = 1; i < 500; i += 4)
            _scene.Batch.DeleteSource(Encoding.UTF8.GetBytes($"{i}"));
        _scene.Commit();
        Assert.Equal(125, Total(0, 999).Total);
        Assert.Equal(250, Total(1000, 2000).Total);
    }

    [Fact]
    public void Both_ends_of_two_conditions_are_one_range_where_no_entry_has_several_values()
    {
        for (int i = 0; i < 100; i++)
            Add($"{i}", i);
        _scene.Commit();
        var between = new SearchQuery.And([Range(10, null), Range(null, 20)]);
        Assert.Equal((11, true), Find(between));
        var more = new SearchQuery.And([Range(null, 20), Range(5, null), Range(null, 18), Range(10, null), Range(7, 60)]);
        Assert.Equal(9, Find(more).Total);
        Add("several", 5, 30);
        _scene.Commit();
        // One value above the lower end, another below the upper one: the entry fits both conditions, but no value is between.
        Assert.Equal((12, false), Find(between));
    }

    [Fact]
    public void A_pattern_that_filters_few_entries_reads_their_column_and_finds_the_same()
    {
        for (int i = 0; i < 1000; i++)
        {
            Add($"{i}", i);
            _scene.Batch.AddText(
                _scene.Batch.Field("Name", new FieldOptions()),
                Encoding.UTF8.GetBytes(i % 50 == 0 ? new string('x', 600) : $"N{i}")
            );
        }
        _scene.Commit();
        SearchQuery few = Range(100, 119);
        SearchQuery seven = new SearchQuery.Contains("Name", "7");
        Assert.Equal((2, true), Filtered(few, seven));
        Assert.Equal((18, true), Filtered(few, new SearchQuery.Not(seven)));
        Assert.Equal((19, true), Filtered(few, new SearchQuery.Prefix("Name", "n")));
        // Of no more postings than there are entries to filter: a union is cheaper.
        Assert.Equal((1, false), Filtered(few, new SearchQuery.Prefix("Name", "xxx")));
        Assert.Equal((0, true), Filtered(few, new SearchQuery.Contains("Name", "xxx")));
        Assert.Equal(
            (1000 - 20 - Enumerable.Range(0, 1000).Count(i => i % 50 != 0 && $"{i}".Contains('7')), false),
            Filtered(new SearchQuery.All(), new SearchQuery.And([new SearchQuery.Prefix("Name", "n"), new SearchQuery.Not(seven)]))
        );
    }

    private (long Total, bool IsByColumn) Filtered(SearchQuery first, SearchQuery second)
    {
        using var reader = _scene.Read();
        using var result = reader.Search(new SearchRequest { Query = new SearchQuery.And([first, second]) });
        return (result.Total, result.Explain().Contains("by the column", StringComparison.Ordinal));
    }

    private (long Total, bool IsOneRange) Find(SearchQuery query)
    {
        using var reader = _scene.Read();
        using var result = reader.Search(new SearchRequest { Query = query });
        return (result.Total, result.Explain().Contains("Value in [10, 20]", StringComparison.Ordinal));
    }

    private (long Total, string How) Total(double from, double to)
    {
        using var reader = _scene.Read();
        using var result = reader.Search(new SearchRequest { Query = Range(from, to), Take = 3 });
        Assert.Equal(result.Total, CountAll(reader, Range(from, to)));
        string[] ways = ["counted by the sums of the dictionary", "a union of the terms' postings"];
        return (result.Total, ways.SingleOrDefault(way => result.Explain().Contains(way, StringComparison.Ordinal)) ?? "");
    }

    private static long CountAll(SearchReader reader, SearchQuery query)
    {
        using var result = reader.Search(new SearchRequest { Query = query });
        long count = 0;
        var some = new long[100];
        for (int filled; (filled = result.Read(some)) > 0; )
            count += filled;
        return count;
    }

    private static SearchQuery.Range Range(double? from, double? to) => new("Value", Number(from), true, Number(to), true);

    private static SearchValue.Number? Number(double? value) =>
        value is { } number ? new SearchValue.Number(new SearchNumber(number)) : null;

    private void Add(string source, params double[] values)
    {
        _scene.Batch.BeginSource(Encoding.UTF8.GetBytes(source));
        _scene.Batch.BeginEntry();
        foreach (double value in values)
            _scene.Batch.AddNumber(_scene.Batch.Field("Value", new FieldOptions()), new SearchNumber(value));
    }
}
