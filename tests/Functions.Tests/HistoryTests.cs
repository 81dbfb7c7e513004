using Jackdaw.Functions.Handlers.Histories;

namespace Jackdaw.Functions.Tests;

public sealed class HistoryTests
{
    /// <summary>C is a copy of B from etag 20, which is one of A from etag 10.</summary>
    private static readonly History s_history = new("C", [new Ancestor("B", 20), new Ancestor("A", 10)]);

    [Theory]
    [InlineData("C", 1, HistoryPlace.Own)]
    [InlineData("C", 99, HistoryPlace.Own)]
    [InlineData("B", 20, HistoryPlace.Own)]
    [InlineData("B", 21, HistoryPlace.AfterFork)]
    [InlineData("A", 10, HistoryPlace.Own)]
    [InlineData("A", 11, HistoryPlace.AfterFork)]
    [InlineData("D", 1, HistoryPlace.Unknown)]
    public void A_change_is_compared_with_the_forks_of_its_database(string databaseId, long etag, HistoryPlace place) =>
        Assert.Equal(place, s_history.PlaceOf(databaseId, etag));

    [Fact]
    public void A_fork_that_lies_behind_an_earlier_one_counts_up_to_the_earlier_one() =>
        Assert.Equal(HistoryPlace.AfterFork, new History("C", [new Ancestor("B", 5), new Ancestor("A", 10)]).PlaceOf("A", 6));

    [Theory]
    [InlineData(1, "A")]
    [InlineData(10, "A")]
    [InlineData(11, "B")]
    [InlineData(20, "B")]
    [InlineData(21, "C")]
    public void A_change_keeps_the_name_of_the_database_that_made_it(long etag, string maker) =>
        Assert.Equal(maker, s_history.MakerOf(etag));
}
