using Jackdaw.Documents.Layout;

namespace Jackdaw.Documents.Writing;

/// <summary>What tasks keep about themselves.</summary>
internal sealed partial class DocumentsWriter
{
    /// <summary>Stores a value, or removes it (null).</summary>
    public void SetTaskValue(ReadOnlySpan<byte> key, byte[]? value)
    {
        Changes++;
        FaultPoint?.Invoke();
        var tree = Transaction.Catalog.OpenTree(Schema.TasksTree);
        if (value is null)
            tree.Delete(key);
        else
            tree.Put(key, value);
    }

    /// <summary>Valid until the next change.</summary>
    public bool TryGetTaskValue(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        value = default;
        return Transaction.Catalog.TryOpenTree(Schema.TasksTree, out var tree) && tree.TryGet(key, out value);
    }
}
