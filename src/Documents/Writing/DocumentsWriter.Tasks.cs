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

    /// <summary>Removes the first values, at most so many, whose keys begin with a prefix and come before a key; returns how
    /// many.</summary>
    public int RemoveTaskValues(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> before, int atMost)
    {
        var keys = new List<byte[]>();
        var tree = Transaction.Catalog.OpenTree(Schema.TasksTree);
        using (var cursor = tree.OpenCursor())
        {
            for (
                bool found = cursor.Seek(prefix);
                found && keys.Count < atMost && cursor.Key.StartsWith(prefix) && cursor.Key.SequenceCompareTo(before) < 0;
                found = cursor.MoveNext()
            )
                keys.Add(cursor.Key.ToArray());
        }
        foreach (byte[] key in keys)
            SetTaskValue(key, null);
        return keys.Count;
    }
}
