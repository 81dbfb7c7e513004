using System.Diagnostics.CodeAnalysis;
using System.Text;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.Rooms;

/// <summary>A room in a read transaction. Valid until the reader that it comes from ends.</summary>
public readonly struct RoomReader
{
    private readonly PageTransaction _transaction;
    private readonly Room _room;

    internal RoomReader(PageTransaction transaction, Room room)
    {
        _transaction = transaction;
        _room = room;
    }

    /// <summary>Sees a value; the spans are valid during the call.</summary>
    public delegate void ValueVisitor(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value);

    /// <summary>The highest etag handed out, whatever for.</summary>
    public long LastEtag => DocumentsWriter.ReadLastEtag(_transaction);

    /// <summary>Finds a value; the span is valid until the reader ends.</summary>
    /// <param name="key">Begins with the room's name and a slash.</param>
    /// <param name="value">The value.</param>
    public bool TryGetValue(string key, out ReadOnlySpan<byte> value)
    {
        ArgumentNullException.ThrowIfNull(key);
        _room.RequireOwn(key);
        value = default;
        return _transaction.Catalog.TryOpenTree(Schema.ValuesOfRoomsTree, out var tree)
            && tree.TryGet(Encoding.UTF8.GetBytes(key), out value);
    }

    /// <summary>The first key that begins with a prefix, in the order of keys' bytes; null when there is none.</summary>
    public string? FirstKey(string prefix)
    {
        ArgumentNullException.ThrowIfNull(prefix);
        _room.RequireOwn(prefix);
        if (!_transaction.Catalog.TryOpenTree(Schema.ValuesOfRoomsTree, out var tree))
            return null;
        byte[] start = Encoding.UTF8.GetBytes(prefix);
        using var cursor = tree.OpenCursor();
        return cursor.Seek(start) && cursor.Key.StartsWith(start) ? Encoding.UTF8.GetString(cursor.Key) : null;
    }

    /// <summary>The values whose keys begin with a prefix, in the order of keys' bytes; copied.</summary>
    public IReadOnlyList<KeyValuePair<string, byte[]>> Values(string prefix)
    {
        var found = new List<KeyValuePair<string, byte[]>>();
        Visit(prefix, (key, value) => found.Add(new(Encoding.UTF8.GetString(key), value.ToArray())));
        return found;
    }

    /// <summary>Shows the values whose keys begin with a prefix, in the order of keys' bytes.</summary>
    public void Visit(string prefix, ValueVisitor visitor)
    {
        ArgumentNullException.ThrowIfNull(prefix);
        ArgumentNullException.ThrowIfNull(visitor);
        _room.RequireOwn(prefix);
        if (!_transaction.Catalog.TryOpenTree(Schema.ValuesOfRoomsTree, out var tree))
            return;
        byte[] start = Encoding.UTF8.GetBytes(prefix);
        using var cursor = tree.OpenCursor();
        for (bool more = cursor.Seek(start); more && cursor.Key.StartsWith(start); more = cursor.MoveNext())
            visitor(cursor.Key, cursor.Value);
    }

    /// <summary>Opens one of the room's trees; false when it was not made yet.</summary>
    public bool TryOpenTree(string name, [NotNullWhen(true)] out BTree? tree)
    {
        Invariant.Require(_room.Trees.Contains(name));
        return _transaction.Catalog.TryOpenTree(name, out tree);
    }

    /// <summary>Opens one of the room's tables; false when it was not made yet.</summary>
    public bool TryOpenTable(TableSchema schema, [NotNullWhen(true)] out Table? table)
    {
        ArgumentNullException.ThrowIfNull(schema);
        Invariant.Require(_room.Tables.Contains(schema));
        table = _transaction.Catalog.Contains(schema.Name) ? _transaction.Catalog.OpenTable(schema) : null;
        return table is not null;
    }
}
