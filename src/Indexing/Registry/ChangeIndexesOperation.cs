using Jackdaw.Documents.Rooms;

namespace Jackdaw.Indexing.Registry;

/// <summary>Changes records of indexes, all or nothing: puts some, removes others, moves lower bounds. Not pooled.</summary>
internal sealed class ChangeIndexesOperation() : RoomOperation(IndexesRoom.Instance)
{
    private readonly List<(byte[] Key, byte[] Value)> _puts = [];
    private readonly List<IndexRecord> _removals = [];
    private readonly List<(byte[] Key, long Etag)> _bounds = [];
    private long _size;

    /// <inheritdoc/>
    public override long SizeBytes => _size;

    /// <summary>Stores a record in place of the former.</summary>
    public ChangeIndexesOperation Put(IndexRecord record)
    {
        byte[] value = record.ToBytes();
        _puts.Add((record.InstanceId.ToByteArray(), value));
        _size += value.Length;
        return this;
    }

    /// <summary>Removes a record, and the note of what the index missed; nothing happens when there is none.</summary>
    public ChangeIndexesOperation Remove(IndexRecord record)
    {
        _removals.Add(record);
        _size += 64;
        return this;
    }

    /// <summary>Raises an index's lower bound; nothing happens when its record is gone.</summary>
    public ChangeIndexesOperation SetLowerBound(Guid instanceId, long etag)
    {
        _bounds.Add((instanceId.ToByteArray(), etag));
        _size += 64;
        return this;
    }

    /// <inheritdoc/>
    protected override void Execute(RoomWriter writer)
    {
        // A bound that is too low to raise anything is no change, and needs no commit.
        if (_puts.Count + _removals.Count == 0 && !RaisesAny(writer.Look()))
            return;
        var tree = writer.OpenTree(IndexesRoom.RecordsTree);
        foreach (var record in _removals)
        {
            tree.Delete(record.InstanceId.ToByteArray());
            writer.ForgetGap(record.Consumer);
        }
        foreach (var (key, value) in _puts)
            tree.Put(key, value);
        foreach (var (key, etag) in _bounds)
        {
            if (!tree.TryGet(key, out var former) || IndexRecord.GetLowerBound(former) >= etag)
                continue;
            byte[] value = former.ToArray();
            IndexRecord.SetLowerBound(value, etag);
            tree.Put(key, value);
        }
    }

    private bool RaisesAny(RoomReader reader)
    {
        if (!reader.TryOpenTree(IndexesRoom.RecordsTree, out var tree))
            return false;
        foreach (var (key, etag) in _bounds)
        {
            if (tree.TryGet(key, out var record) && IndexRecord.GetLowerBound(record) < etag)
                return true;
        }
        return false;
    }
}
