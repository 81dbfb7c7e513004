using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// Names to structures, as one transaction sees them. The catalog is itself a tree from names (UTF-8) to
/// <see cref="TreeState"/>s; its own state
/// lies in the meta page. Objects are cached by name for the transaction's life: opening again is a dictionary look-up.
/// </summary>
public sealed unsafe class Catalog
{
    /// <summary>Longest name, in bytes of UTF-8.</summary>
    public const int MaxNameBytes = 256;

    private readonly PageTransaction _transaction;
    private readonly BTree _entries;
    private readonly Dictionary<string, Structure> _open = new(StringComparer.Ordinal);
    private readonly List<Structure> _changed = [];
    private readonly Dictionary<TableSchema, Table> _tables = [];

    internal Catalog(PageTransaction transaction)
    {
        _transaction = transaction;
        _entries = new BTree(transaction, "(catalog)");
        LoadOwnState();
    }

    /// <summary>
    /// The tree of that name. Where there is none, a writer creates it (an empty one costs no page); a reader gets an empty one.
    /// </summary>
    public BTree OpenTree(string name) => (BTree)OpenAs(name, StructureKind.BTree);

    /// <summary>The same of a tree that is made with options. They must be those that it was created with.</summary>
    public BTree OpenTree(string name, in BTreeOptions options) => OpenTree(name).WithOptions(options);

    /// <summary>False, and nothing created, where there is no tree of that name.</summary>
    public bool TryOpenTree(string name, [NotNullWhen(true)] out BTree? tree)
    {
        tree = Contains(name) ? OpenTree(name) : null;
        return tree is not null;
    }

    /// <summary>
    /// The fixed-size tree of that name, created as <see cref="OpenTree(string)"/> does. The size of <typeparamref name="TValue"/> must
    /// be the one it was created with.
    /// </summary>
    public FixedSizeTree<TValue> OpenFixedTree<TValue>(string name)
        where TValue : unmanaged => new((FixedSizeTree)OpenAs(name, StructureKind.FixedSizeTree));

    /// <summary>The posting set of that name, created as <see cref="OpenTree(string)"/> does.</summary>
    public PostingSet OpenPostingSet(string name) => (PostingSet)OpenAs(name, StructureKind.PostingSet);

    /// <summary>The table with its indexes, created as <see cref="OpenTree(string)"/> does. A schema object is to be made once and
    /// kept.</summary>
    public Table OpenTable(TableSchema schema)
    {
        if (!_tables.TryGetValue(schema, out var table))
            _tables.Add(schema, table = new Table(this, schema));
        return table;
    }

    /// <summary>Is there a structure of that name?</summary>
    public bool Contains(string name)
    {
        if (_open.TryGetValue(name, out var open) && open.IsLoaded)
            return _transaction.IsWritable ? open.Kind != StructureKind.None : open.State.RootPage != 0 || IsStored(name);
        return IsStored(name);
    }

    /// <summary>
    /// Frees all pages of the structure and of those embedded in it, and forgets the name. False where there is none. Objects opened before
    /// are dead. Takes as long as reading each page that refers to others; <see cref="DropSome"/> does the same in pieces.
    /// </summary>
    public bool Drop(string name)
    {
        Invariant.Require(_transaction.IsWritable);
        if (!Contains(name))
            return false;
        var structure = OpenAs(name, ReadKind(name));
        structure.FreeAllPages();
        structure.Kill();
        _open.Remove(name);
        _tables.Clear();
        Span<byte> key = stackalloc byte[MaxNameBytes];
        _entries.Delete(key[..EncodeName(name, key)]);
        return true;
    }

    /// <summary>
    /// Frees about <paramref name="maxPages"/> pages of the structure and of those embedded in it; true when it is gone, and its name with
    /// it. What is left after each call is smaller and sound, so that the rest can be dropped in later transactions: hide it from its
    /// users first.
    /// </summary>
    public bool DropSome(string name, long maxPages)
    {
        Invariant.Require(_transaction.IsWritable && maxPages > 0);
        if (!Contains(name))
            return true;
        var structure = OpenAs(name, ReadKind(name));
        return StructureDescriptor.Of(structure.Kind).DropSome(structure, ref maxPages) && Drop(name);
    }

    /// <summary>Drops the table's rows, dead ones too, and its indexes. False where there is no such table.</summary>
    public bool DropTable(TableSchema schema)
    {
        foreach (var index in schema.Indexes)
            Drop(index.TreeName);
        if (schema.KeepsDeadRows)
            Drop(schema.DeadRowsName);
        return Drop(schema.Name);
    }

    /// <summary>All names with their kinds, in the order of their bytes. A snapshot: structures may be opened or dropped
    /// meanwhile.</summary>
    public IEnumerable<(string Name, StructureKind Kind)> Entries()
    {
        if (_transaction.IsWritable)
            WriteBackChanged();
        var entries = new List<(string, StructureKind)>();
        using var cursor = _entries.OpenCursor();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            entries.Add((Encoding.UTF8.GetString(cursor.Key), ReadState(cursor.Value).Kind));
        return entries;
    }

    /// <summary>Stores changed states in the catalog tree and the tree's own in the meta page. The engine calls it once, at
    /// commit.</summary>
    internal void WriteBack()
    {
        Invariant.Require(_transaction.IsWritable);
        WriteBackChanged();
        if (!_entries.IsChanged)
            return;
        byte* meta = _transaction.ModifyPage(PageLayout.MetaPage);
        Unsafe.WriteUnaligned(meta + TreeState.OffsetInMetaPage, _entries.State);
        _entries.IsChanged = false;
    }

    /// <summary>
    /// For a transaction object that is used again for another transaction: keeps the objects, reads their states anew when they
    /// are opened next.
    /// </summary>
    internal void Invalidate()
    {
        foreach (var structure in _open.Values)
        {
            structure.IsLoaded = false;
            structure.IsChanged = false;
        }
        LoadOwnState();
    }

    /// <summary>The catalog tree itself, then every structure in it. The caller may check each before it asks for the next.</summary>
    internal IEnumerable<Structure> Structures()
    {
        yield return _entries;
        foreach (var (name, kind) in Entries())
            yield return OpenAs(name, kind);
    }

    /// <summary>Checks the catalog tree itself, then every structure in it.</summary>
    internal void Check(IPageVisitor visitor)
    {
        foreach (var structure in Structures())
            StructureDescriptor.Of(structure.Kind).Check(structure, visitor);
    }

    /// <summary>The structure of that name, from the cache, from the stored state, or made anew. Asserts its kind.</summary>
    internal Structure OpenAs(string name, StructureKind kind)
    {
        if (_open.TryGetValue(name, out var open))
        {
            if (!open.IsLoaded)
                Load(open, kind);
            return open;
        }
        var structure = StructureDescriptor.Of(kind).Make(_transaction, name);
        Load(structure, kind);
        _open.Add(name, structure);
        return structure;
    }

    private void Load(Structure structure, StructureKind kind)
    {
        if (TryReadEntry(structure.Name, out var stored))
        {
            structure.State = stored;
            Invariant.Require(structure.State.Kind == kind);
        }
        else
        {
            structure.State = new TreeState { Kind = kind };
            structure.IsChanged = _transaction.IsWritable;
        }
        structure.IsLoaded = true;
        structure.OnStateLoaded();
    }

    private void WriteBackChanged()
    {
        Span<byte> key = stackalloc byte[MaxNameBytes];
        foreach (var structure in _open.Values)
        {
            if (structure.IsLoaded && (structure.IsChanged || structure.NeedsCompletion))
                _changed.Add(structure);
        }
        // By name, not in the order of opening: what a transaction merely looked at must not show in the bytes that it leaves.
        _changed.Sort(static (a, b) => string.CompareOrdinal(a.Name, b.Name));
        foreach (var structure in _changed)
        {
            structure.CompleteBatch();
            if (!structure.IsChanged)
                continue;
            var room = _entries.Reserve(key[..EncodeName(structure.Name, key)], TreeState.Size, out _);
            Unsafe.WriteUnaligned(ref room[0], structure.State);
            structure.IsChanged = false;
        }
        _changed.Clear();
    }

    private void LoadOwnState()
    {
        byte* meta = _transaction.ReadPage(PageLayout.MetaPage);
        _entries.State = Unsafe.ReadUnaligned<TreeState>(meta + TreeState.OffsetInMetaPage);
        if (_entries.State.Kind == StructureKind.None)
            _entries.State.Kind = StructureKind.BTree;
        Invariant.Require(_entries.State.Kind == StructureKind.BTree);
        _entries.IsLoaded = true;
        _entries.IsChanged = false;
        _entries.OnStateLoaded();
    }

    private bool IsStored(string name) => TryReadEntry(name, out _);

    /// <summary>Looks a structure's state up. Damage met here concerns every transaction, unlike damage in the structure itself.</summary>
    private bool TryReadEntry(string name, out TreeState state)
    {
        Span<byte> key = stackalloc byte[MaxNameBytes];
        try
        {
            bool found = _entries.TryGet(key[..EncodeName(name, key)], out var stored);
            state = found ? ReadState(stored) : default;
            return found;
        }
        catch (CorruptedDataException damage) when (!damage.IsShared)
        {
            throw damage.AsShared("the catalog");
        }
    }

    private StructureKind ReadKind(string name)
    {
        if (_open.TryGetValue(name, out var open) && open.IsLoaded)
            return open.Kind;
        bool found = TryReadEntry(name, out var stored);
        Invariant.Require(found);
        return stored.Kind;
    }

    private static TreeState ReadState(ReadOnlySpan<byte> stored)
    {
        Invariant.Require(stored.Length == TreeState.Size);
        return Unsafe.ReadUnaligned<TreeState>(in stored[0]);
    }

    private static int EncodeName(string name, Span<byte> destination)
    {
        bool encoded = Encoding.UTF8.TryGetBytes(name, destination, out int length);
        Invariant.Require(encoded && length > 0);
        return length;
    }
}
