using Jackdaw.Search.Fields;
using Jackdaw.Storage;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Search.Batches;

/// <summary>The fields that a batch touches.</summary>
internal sealed class BatchFields(FieldDirectory directory)
{
    private readonly List<FieldChange> _touched = [];

    /// <summary>By field id.</summary>
    private FieldChange?[] _byId = new FieldChange?[16];
    private PageTransaction? _transaction;

    public IReadOnlyList<FieldChange> Touched => _touched;

    public void Begin(PageTransaction transaction) => _transaction = transaction;

    /// <summary>The field as it becomes, read from the index when it is first touched.</summary>
    public FieldChange this[ushort id]
    {
        get
        {
            if (id < _byId.Length && _byId[id] is { } known)
                return known;
            return Load(id);
        }
    }

    public void Write()
    {
        var tree = _transaction!.Catalog.OpenTree(StructureNames.Fields);
        Span<byte> record = stackalloc byte[FieldRecord.Bytes];
        _touched.Sort(static (a, b) => string.CompareOrdinal(a.Known.Name, b.Known.Name));
        foreach (var field in _touched)
        {
            field.Record.Write(record);
            byte[] key = FieldRecord.KeyOf(field.Known.Name);
            if (!tree.TryGet(key, out var stored) || !stored.SequenceEqual(record))
                tree.Put(key, record);
        }
    }

    public void Empty()
    {
        foreach (var field in _touched)
            _byId[field.Known.Id] = null;
        _touched.Clear();
        _transaction = null;
    }

    private FieldChange Load(ushort id)
    {
        var known = directory.Of(id);
        var record = _transaction!.Catalog.OpenTree(StructureNames.Fields).TryGet(FieldRecord.KeyOf(known.Name), out var stored)
            ? FieldRecord.Read(stored)
            : new FieldRecord
            {
                Id = id,
                Options = known.Options,
                NextTermNumber = 1,
            };
        Invariant.Require(record.Id == id && record.Options == known.Options, "a field of the index has another id or other options");
        var change = new FieldChange(known, record);
        if (id >= _byId.Length)
            Array.Resize(ref _byId, Math.Max(id + 1, 2 * _byId.Length));
        _byId[id] = change;
        _touched.Add(change);
        return change;
    }
}
