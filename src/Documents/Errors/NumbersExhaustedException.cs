using System.Globalization;

namespace Jackdaw.Documents.Errors;

/// <summary>An identity, a HiLo range or the collections' ids have no number left: somebody set or sent one near the end of what
/// a number can be.</summary>
public sealed class NumbersExhaustedException : OperationException
{
    /// <summary>Creates the error: what ran out of numbers, and the last one used.</summary>
    public NumbersExhaustedException(string what, long last)
        : base(string.Create(CultureInfo.InvariantCulture, $"{what} has no number left after {last:N0}.")) { }
}
