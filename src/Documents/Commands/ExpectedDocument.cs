using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Commands;

/// <summary>A document that must be in a given version, and is left alone.</summary>
internal sealed class ExpectedDocument : DocumentCommand
{
    public override long SizeBytes => _inputs.Length;

    public void SetId(string id)
    {
        _id = AppendText(id);
        PrepareId();
    }

    internal override void Execute(DocumentsWriter writer)
    {
        if (_inputs.Slice(_lowerId).StartsWith(CollectionNames.EventIds))
        {
            byte[]? changeVector = writer.Events?.FindChangeVector(writer.Transaction, _inputs.Slice(_lowerId));
            CheckExpectation(_inputs.Slice(_id), changeVector is not null, changeVector);
            return;
        }
        bool exists = writer.TryGet(_inputs.Slice(_lowerId), out var document, out _);
        CheckExpectation(_inputs.Slice(_id), exists, exists ? document.ChangeVector : default);
    }
}
