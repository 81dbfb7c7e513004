namespace Jackdaw.Documents.Commands;

/// <summary>Sets an identity's last value; without force only raises it.</summary>
public sealed class SeedIdentityOperation : MergedOperation
{
    /// <param name="name">With or without the trailing <c>|</c>, in any casing.</param>
    /// <param name="value">The next value handed out will be one more.</param>
    /// <param name="force">Lower it too.</param>
    public SeedIdentityOperation(string name, long value, bool force) => throw new NotSupportedException();

    public override long SizeBytes => throw new NotSupportedException();

    /// <summary>The value it has now. A result.</summary>
    public long Value { get; private set; }
}
