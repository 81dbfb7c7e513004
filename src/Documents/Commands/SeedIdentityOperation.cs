using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Commands;

/// <summary>Sets an identity's last value; without force only raises it.</summary>
public sealed class SeedIdentityOperation : MergedOperation
{
    private readonly byte[] _name;
    private readonly long _value;
    private readonly bool _force;

    /// <param name="name">With or without the trailing <c>|</c>, in any casing.</param>
    /// <param name="value">The next value handed out will be one more.</param>
    /// <param name="force">Lower it too.</param>
    public SeedIdentityOperation(string name, long value, bool force)
    {
        _name = IdentityName.Parse(name);
        _value = value;
        _force = force;
    }

    /// <inheritdoc />
    public override long SizeBytes => _name.Length;

    /// <summary>The value it has now. A result.</summary>
    public long Value { get; private set; }

    internal override void Execute(DocumentsWriter writer)
    {
        long current = writer.LastIdentity(_name);
        Value = _force ? _value : Math.Max(current, _value);
        if (Value != current)
            writer.SetIdentity(_name, Value);
    }
}
