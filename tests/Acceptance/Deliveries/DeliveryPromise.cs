namespace Jackdaw.Acceptance.Deliveries;

/// <summary>What a sink promises of duplicates and order when processes die and connections break; that nothing is missing all
/// promise.</summary>
/// <param name="IsExactlyOnce">Nothing ever comes twice.</param>
/// <param name="IsOrdered">A receiver sees the messages of a key in order, after a redelivery again from there on.</param>
internal sealed record DeliveryPromise(bool IsExactlyOnce, bool IsOrdered);
