using Xunit;

namespace Jackdaw.Brokers;

/// <summary>As <see cref="BrokerFactAttribute"/>, for a test with cases.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BrokerTheoryAttribute : TheoryAttribute
{
    /// <param name="kinds">All that it needs.</param>
    public BrokerTheoryAttribute(params BrokerKind[] kinds) => Skip = BrokerAvailability.ReasonToSkip(kinds);
}
