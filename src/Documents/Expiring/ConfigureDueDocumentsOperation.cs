using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Expiring;

/// <summary>Stores how documents expire, or are refreshed.</summary>
internal sealed class ConfigureDueDocumentsOperation : MergedOperation
{
    private readonly DocumentDateKind _kind;
    private readonly byte[] _value;

    public ConfigureDueDocumentsOperation(DocumentDateKind kind, DueDocumentsSettings settings)
    {
        _kind = kind;
        _value = settings.ToBytes();
    }

    public override long SizeBytes => _value.Length;

    /// <summary>Of two operations the one with the higher number was executed later. A result.</summary>
    public long Order { get; private set; }

    internal override void Execute(DocumentsWriter writer)
    {
        Order = writer.NextConfiguration();
        writer.SetDatesValue(_kind, _value);
    }
}
