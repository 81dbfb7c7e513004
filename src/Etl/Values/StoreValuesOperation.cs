using System.Text;
using Jackdaw.Documents.Rooms;
using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Etl.Values;

/// <summary>
/// Stores or removes what ETL keeps in a database (positions, configurations): no documents, no etags, so no consumer hears of it.
/// All or nothing. Read with <see cref="EtlValues"/>. Not pooled.
/// </summary>
internal sealed class StoreValuesOperation() : RoomOperation(EtlRoom.Instance)
{
    private readonly List<(byte[] Key, byte[]? Value)> _changes = [];
    private readonly List<string> _forgotten = [];
    private long _size;

    /// <inheritdoc />
    public override long SizeBytes => _size;

    /// <summary>Stores a value, in place of the former. The array must stay as it is until the operation was awaited.</summary>
    public StoreValuesOperation Set(string key, byte[] value)
    {
        ArgumentNullException.ThrowIfNull(value);
        Add(key, value);
        return this;
    }

    /// <summary>Removes a value; none is no error.</summary>
    public StoreValuesOperation Remove(string key)
    {
        Add(key, null);
        return this;
    }

    /// <summary>The note of what a consumer has missed goes, too.</summary>
    public StoreValuesOperation ForgetGap(string consumer)
    {
        _forgotten.Add(consumer);
        _size += consumer.Length;
        return this;
    }

    /// <inheritdoc/>
    protected override void Execute(RoomWriter writer)
    {
        foreach (var (key, value) in _changes)
            writer.SetValue(key, value);
        foreach (string consumer in _forgotten)
            writer.ForgetGap(consumer);
    }

    private void Add(string key, byte[]? value)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(key);
        Invariant.Require(utf8.Length is > 0 and <= BTree.MaxKeyBytes);
        _changes.Add((utf8, value));
        _size += utf8.Length + (value?.Length ?? 0);
    }
}
