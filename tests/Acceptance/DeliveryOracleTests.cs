using Jackdaw.Acceptance.Deliveries;

namespace Jackdaw.Acceptance;

/// <summary>An oracle that finds nothing proves nothing.</summary>
public sealed class DeliveryOracleTests
{
    [Theory]
    [InlineData("1 2 3")]
    [InlineData("1 2 3 2 3 4")]
    [InlineData("1 2 3 1 2 1 2 3 4")]
    [InlineData("1 2 2' 2 3")]
    [InlineData("1 1' 1 1' 2")]
    public void What_is_in_order_from_the_first_redelivery_on_again_is_let_pass(string order) =>
        Assert.Null(DeliveryOracle.Disorder(Arrivals(order)));

    [Theory]
    [InlineData("1 3 2")]
    [InlineData("1 2 3 2 4")]
    [InlineData("1 2 3 1 3")]
    [InlineData("2 1 2 3")]
    [InlineData("1' 1 1 1' 2 3 2 4")]
    public void What_is_out_of_order_is_found(string order) => Assert.NotNull(DeliveryOracle.Disorder(Arrivals(order)));

    [Fact]
    public void Documents_are_ordered_each_by_itself() =>
        Assert.Null(
            DeliveryOracle.Disorder([
                .. Arrivals("1 3 3"),
                .. Arrivals("2 4").Select(arrival => arrival with { Subject = "b", Id = "b" + arrival.Id }),
            ])
        );

    [Fact]
    public void Copies_are_counted_and_must_be_copies()
    {
        Assert.Equal(3, DeliveryOracle.Duplicates(Arrivals("1 2 1 2 1")));
        var arrivals = Arrivals("1 2 1");
        arrivals[2] = arrivals[2] with { Data = "{}" };
        Assert.ThrowsAny<Xunit.Sdk.XunitException>(() => DeliveryOracle.Duplicates(arrivals));
    }

    private static Arrival[] Arrivals(string order) =>
        [.. order.Split(' ').Select(one => new Arrival(one, "a", one[0] - '0', $"\"{one}\""))];
}
