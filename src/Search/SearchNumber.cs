namespace Jackdaw.Search;

/// <summary>
/// A number as indexes compare it: the nearest double, and for an integer that the double does not hold exactly, what is left. Two integers
/// beyond 2^53 that share a double differ.
/// </summary>
/// <param name="Value">The nearest double; finite. −0 counts as 0.</param>
/// <param name="Remainder">The exact integer minus <paramref name="Value"/>; 0 for all others.</param>
public readonly record struct SearchNumber(double Value, short Remainder = 0);
