namespace Jackdaw.Demo.Traffic;

/// <summary>A line of an <see cref="Order"/>.</summary>
internal sealed record OrderLine(string Product, decimal PricePerUnit, int Quantity);
