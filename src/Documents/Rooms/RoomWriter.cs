using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Documents.Watching;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.Rooms;

/// <summary>A room in the transaction that its operation is executed in. Valid while the operation is executed.</summary>
public readonly ref struct RoomWriter
{
    private readonly DocumentsWriter _writer;
    private readonly Room _room;

    internal RoomWriter(DocumentsWriter writer, Room room)
    {
        _writer = writer;
        _room = room;
    }

    /// <summary>UTC ticks, the same for the whole of an operation.</summary>
    public long NowTicks => _writer.NowTicks;

    /// <summary>The highest etag handed out.</summary>
    public long LastEtag => _writer.LastEtag;

    /// <summary>A mistake for the simulator to find.</summary>
    internal PlantedMergerFault Planted => _writer.Planted;

    /// <summary>Reads what the room has, without a change: what does not exist is not made. Valid until the next change.</summary>
    public RoomReader Look() => new(_writer.Transaction, _room);

    /// <summary>
    /// Hands out the next etag for an item of the room. Etags are handed out in the order of commits, and readers see durable
    /// transactions only: whoever has read up to an etag never meets a lower one later.
    /// </summary>
    public long NextEtag() => _writer.NextEtagsOfRoom(1);

    /// <summary>Hands out several etags in a row and returns the last one.</summary>
    public long NextEtags(long count) => _writer.NextEtagsOfRoom(count);

    /// <summary>Stores a value in place of the former, or removes it (null). The key begins with the room's name and a slash.</summary>
    public void SetValue(ReadOnlySpan<byte> key, byte[]? value)
    {
        RequireOwn(key);
        _writer.SetValue(key, value);
    }

    /// <summary>Finds a value; the span is valid until the next change.</summary>
    public bool TryGetValue(ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        RequireOwn(key);
        return _writer.TryGetValue(key, out value);
    }

    /// <summary>Removes the first values whose keys begin with a prefix and come before a key. Returns how many.</summary>
    /// <param name="prefix">Begins with the room's name and a slash.</param>
    /// <param name="before">Only keys before it, in the order of bytes.</param>
    /// <param name="atMost">So many.</param>
    public int RemoveValues(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> before, int atMost)
    {
        RequireOwn(prefix);
        return _writer.RemoveValues(prefix, before, atMost);
    }

    /// <summary>Opens one of the room's trees to be changed; it is made when it is not there.</summary>
    public BTree OpenTree(string name)
    {
        Invariant.Require(_room.Trees.Contains(name));
        _room.RequireOwn(name);
        return _writer.OpenTreeToChange(name);
    }

    /// <summary>Opens one of the room's tables to be changed; it is made when it is not there.</summary>
    public Table OpenTable(TableSchema schema)
    {
        ArgumentNullException.ThrowIfNull(schema);
        Invariant.Require(_room.Tables.Contains(schema));
        _room.RequireOwn(schema.Name);
        return _writer.OpenTableToChange(schema);
    }

    /// <summary>Deletes a document if it has a change vector. Returns the deletion's etag; null when the document has another
    /// one, or is gone.</summary>
    public long? DeleteIfUnchanged(string id, ReadOnlySpan<byte> changeVector)
    {
        var command = new DeleteCommand();
        command.SetId(id);
        if (!_writer.TryGet(command.LowerId, out var document, out _) || !document.ChangeVector.SequenceEqual(changeVector))
            return null;
        command.Execute(_writer);
        return command.Etag;
    }

    /// <summary>An operator has seen to what a consumer has missed: the note of it goes.</summary>
    public void ForgetGap(string consumer) => _writer.SetValue(DeletionGap.KeyBytes(consumer), null);

    /// <summary>Events were stored or deleted: when the transaction is durable, whoever watches <c>@events</c> is woken.</summary>
    internal void NoteEvents(ChangeKinds kinds) => _writer.NoteEvents(kinds);

    /// <summary>A test's chance to refuse the operation in the middle of a change.</summary>
    internal void ReachFaultPoint() => _writer.FaultPoint?.Invoke();

    private void RequireOwn(ReadOnlySpan<byte> key)
    {
        Span<byte> prefix = stackalloc byte[_room.Prefix.Length];
        Invariant.Require(Encoding.ASCII.GetBytes(_room.Prefix, prefix) == prefix.Length && key.StartsWith(prefix));
    }
}
