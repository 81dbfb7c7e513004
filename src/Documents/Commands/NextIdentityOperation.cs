using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Commands;

/// <summary>Hands out the next value of an identity.</summary>
public sealed class NextIdentityOperation : MergedOperation
{
    private readonly byte[] _name;

    /// <param name="name">With or without the trailing <c>|</c>, in any casing.</param>
    public NextIdentityOperation(string name) => _name = IdentityName.Parse(name);

    /// <inheritdoc />
    public override long SizeBytes => _name.Length;

    internal override bool IsShort => true;

    /// <summary>The value handed out. A result.</summary>
    public long Value { get; private set; }

    internal override void Execute(DocumentsWriter writer) => Value = writer.NextIdentity(_name);
}
