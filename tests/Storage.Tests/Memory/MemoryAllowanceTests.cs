using Jackdaw.Storage.Memory;
using Xunit;

namespace Jackdaw.Storage.Tests.Memory;

public sealed class MemoryAllowanceTests
{
    [Fact]
    public void Who_asks_for_more_than_is_left_is_refused_and_takes_nothing()
    {
        var allowance = new MemoryAllowance(100);
        var one = allowance.Account("one");
        var other = allowance.Account("other");
        Assert.True(one.TryTake(60));
        Assert.False(other.TryTake(41));
        Assert.Equal((60, 60, 0), (allowance.UsedBytes, one.UsedBytes, other.UsedBytes));
        Assert.True(other.TryTake(40));
        one.Return(60);
        Assert.True(other.TryTake(60));
        Assert.Equal([("one", 0L), ("other", 100L)], allowance.Accounts());
    }

    [Fact]
    public void What_has_begun_may_exceed_it_and_others_are_refused_until_it_is_given_back()
    {
        var allowance = new MemoryAllowance(100);
        allowance.Account("begun").Take(150);
        Assert.Equal(1.5, allowance.Pressure);
        Assert.False(allowance.Account("other").TryTake(1));
        allowance.Account("begun").Return(150);
        Assert.True(allowance.Account("other").TryTake(1));
    }

    [Fact]
    public void An_owner_has_one_account() =>
        Assert.Same(MemoryAllowance.Unlimited.Account("test"), MemoryAllowance.Unlimited.Account("test"));
}
