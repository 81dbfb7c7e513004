using Jackdaw.Brokers;

namespace Jackdaw.Acceptance.Processes;

/// <summary>A test that mounts a <see cref="SmallDisk"/>; skipped, with the reason, where that is not allowed, or where one of its brokers
/// is missing.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class SmallDiskFactAttribute : FactAttribute
{
    private static readonly Lazy<string?> Reason = new(SmallDisk.WhyNot);

    public SmallDiskFactAttribute(params BrokerKind[] brokers) => Skip = Reason.Value ?? new BrokerFactAttribute(brokers).Skip;
}
