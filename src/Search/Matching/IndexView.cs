using System.Text;
using Jackdaw.Search.Fields;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Matching;

/// <summary>An index in one transaction, as queries see it. Of one thread.</summary>
internal sealed class IndexView
{
    private readonly Dictionary<string, FieldView?> _fields = new(StringComparer.Ordinal);
    private readonly PageTransaction _transaction;

    public IndexView(PageTransaction transaction)
    {
        _transaction = transaction;
        (EntryCount, GreatestId) = IndexMeta.ReadEntries(transaction.Catalog.OpenTree(StructureNames.Meta));
    }

    /// <summary>Entries in the index.</summary>
    public long EntryCount { get; }

    /// <summary>The highest id handed out.</summary>
    public long GreatestId { get; }

    /// <summary>The entries by id.</summary>
    public BTree Entries => _transaction.Catalog.OpenTree(StructureNames.Entries);

    /// <summary>The field of that name; null: the index has none.</summary>
    public FieldView? Field(string name)
    {
        if (_fields.TryGetValue(name, out var view))
            return view;
        int length = Encoding.UTF8.GetByteCount(name);
        if (length is > 0 and <= SearchLimits.MaxFieldNameBytes)
        {
            Span<byte> key = stackalloc byte[SearchLimits.MaxFieldNameBytes];
            key = key[..Encoding.UTF8.GetBytes(name, key)];
            if (_transaction.Catalog.OpenTree(StructureNames.Fields).TryGet(key, out var value))
                view = new FieldView(_transaction, name, FieldRecord.Read(value));
        }
        _fields.Add(name, view);
        return view;
    }
}
