using Xunit;

namespace Jackdaw.Brokers;

/// <summary>A test that needs brokers; skipped, with the reason, where one cannot be had, unless REQUIRE_BROKERS=1: then it runs,
/// and fails as it starts the broker.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BrokerFactAttribute : FactAttribute
{
    /// <param name="kinds">All that it needs.</param>
    public BrokerFactAttribute(params BrokerKind[] kinds) => Skip = BrokerAvailability.ReasonToSkip(kinds);
}
