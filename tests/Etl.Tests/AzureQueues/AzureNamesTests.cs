using Jackdaw.Etl.AzureQueues;
using Xunit;

namespace Jackdaw.Etl.Tests.AzureQueues;

public class AzureNamesTests
{
    [Theory]
    [InlineData("Orders", null)]
    [InlineData("a-1", null)]
    [InlineData("123", null)]
    [InlineData("ab", "2 characters")]
    [InlineData("", "0 characters")]
    [InlineData("-ab", "begin and end")]
    [InlineData("ab-", "begin and end")]
    [InlineData("a--b", "two hyphens")]
    [InlineData("order_items", "'_'")]
    [InlineData("a.b.c", "'.'")]
    [InlineData("Bücher", "'ü'")]
    [InlineData("KİTAP", "not '")]
    public void A_target_is_a_queue_in_lower_case_or_breaks_a_rule_that_is_named(string target, string? rule)
    {
        string? reason = AzureNames.WhyNot(AzureNames.Queue(target));
        if (rule is null)
            Assert.Null(reason);
        else
            Assert.Contains(rule, reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Names_have_up_to_63_characters()
    {
        Assert.Null(AzureNames.WhyNot(new string('a', 63)));
        Assert.Contains("64 characters", AzureNames.WhyNot(new string('a', 64)), StringComparison.Ordinal);
    }
}
