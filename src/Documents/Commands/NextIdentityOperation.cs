namespace Jackdaw.Documents.Commands;

/// <summary>Hands out the next value of an identity.</summary>
public sealed class NextIdentityOperation : MergedOperation
{
    /// <param name="name">With or without the trailing <c>|</c>, in any casing.</param>
    public NextIdentityOperation(string name) => throw new NotSupportedException();

    public override long SizeBytes => throw new NotSupportedException();

    /// <summary>The value handed out. A result.</summary>
    public long Value { get; private set; }
}
