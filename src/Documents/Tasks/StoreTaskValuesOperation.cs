using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.Tasks;

/// <summary>
/// Stores or removes what tasks keep about themselves (positions, configurations): no documents, no etags, so no consumer hears
/// of it. All or nothing.
/// Read with <see cref="Reading.DocumentsReader.TryGetTaskValue"/>. Not pooled.
/// </summary>
public sealed class StoreTaskValuesOperation : MergedOperation
{
    private readonly List<(byte[] Key, byte[]? Value)> _changes = [];
    private long _size;

    /// <inheritdoc />
    public override long SizeBytes => _size;

    /// <summary>Stores a value, in place of the former. The array must stay as it is until the operation was awaited.</summary>
    public StoreTaskValuesOperation Set(string key, byte[] value)
    {
        ArgumentNullException.ThrowIfNull(value);
        Add(key, value);
        return this;
    }

    /// <summary>Removes a value; none is no error.</summary>
    public StoreTaskValuesOperation Remove(string key)
    {
        Add(key, null);
        return this;
    }

    internal override void Execute(DocumentsWriter writer)
    {
        foreach (var (key, value) in _changes)
            writer.SetTaskValue(key, value);
    }

    private void Add(string key, byte[]? value)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(key);
        Invariant.Require(utf8.Length is > 0 and <= BTree.MaxKeyBytes);
        _changes.Add((utf8, value));
        _size += utf8.Length + (value?.Length ?? 0);
    }
}
