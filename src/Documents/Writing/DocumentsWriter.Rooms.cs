using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Watching;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.Writing;

/// <summary>What other rooms keep in the database, and what is noted of consumers beside it.</summary>
internal sealed partial class DocumentsWriter
{
    /// <summary>Stores a value, or removes it (null).</summary>
    public void SetValue(ReadOnlySpan<byte> key, byte[]? value)
    {
        var tree = OpenTreeToChange(Schema.ValuesOfRoomsTree);
        if (value is null)
            tree.Delete(key);
        else
            tree.Put(key, value);
    }

    /// <summary>Valid until the next change.</summary>
    public bool TryGetValue(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        value = default;
        return Transaction.Catalog.TryOpenTree(Schema.ValuesOfRoomsTree, out var tree) && tree.TryGet(key, out value);
    }

    /// <summary>Removes the first values, at most so many, whose keys begin with a prefix and come before a key; returns how
    /// many.</summary>
    public int RemoveValues(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> before, int atMost)
    {
        var keys = new List<byte[]>();
        var tree = Transaction.Catalog.OpenTree(Schema.ValuesOfRoomsTree);
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
            SetValue(key, null);
        return keys.Count;
    }

    /// <summary>The next etags in a row, for items of a room; returns the last one, which the request's trace is noted for.</summary>
    public long NextEtagsOfRoom(long count)
    {
        long etag = NextEtags(count);
        NoteTrace(etag);
        return etag;
    }

    /// <summary>Events were stored or deleted: whoever wants <c>@events</c> is woken.</summary>
    public void NoteEvents(ChangeKinds kinds) => _eventChanges |= kinds;

    /// <summary>Counted as a change, for whoever opens it so changes it.</summary>
    public BTree OpenTreeToChange(string name)
    {
        Changes++;
        FaultPoint?.Invoke();
        return Transaction.Catalog.OpenTree(name);
    }

    /// <summary>Likewise.</summary>
    public Table OpenTableToChange(TableSchema schema)
    {
        Changes++;
        FaultPoint?.Invoke();
        return Transaction.Catalog.OpenTable(schema);
    }
}
