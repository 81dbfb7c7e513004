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
    public BTree OpenTree(string name) =>
        Open(name, StructureKind.BTree, static (transaction, treeName) => new BTree(transaction, treeName));

    /// <summary>False, and nothing created, where there is no tree of that name.</summary>
    public bool TryOpenTree(string name, [NotNullWhen(true)] out BTree? tree)
    {
        tree = Contains(name) ? OpenTree(name) : null;
        return tree is not null;
    }

    /// <summary>
    /// The fixed-size tree of that name, created as <see cref="OpenTree"/> does. The size of <typeparamref name="TValue"/> must
    /// be the one it was created with.
    /// </summary>
    public FixedSizeTree<TValue> OpenFixedTree<TValue>(string name)
        where TValue : unmanaged =>
        new(Open(name, StructureKind.FixedSizeTree, static (transaction, treeName) => new FixedSizeTree(transaction, treeName)));

    /// <summary>The posting set of that name, created as <see cref="OpenTree"/> does.</summary>
    public PostingSet OpenPostingSet(string name) =>
        Open(name, StructureKind.PostingSet, static (transaction, setName) => new PostingSet(transaction, setName));

    /// <summary>The table with its indexes, created as <see cref="OpenTree"/> does. A schema object is to be made once and kept.</summary>
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

    /// <summary>Frees all pages of the structure and forgets the name. False where there is none. Objects opened before are dead.</summary>
    public bool Drop(string name)
    {
        Invariant.Require(_transaction.IsWritable);
        if (!Contains(name))
            return false;
        var structure = OpenAs(name, ReadKind(name));
        structure.FreeAllPages();
        structure.State = default;
        structure.IsChanged = false;
        structure.OnStateLoaded();
        _open.Remove(name);
        _tables.Clear();
        Span<byte> key = stackalloc byte[MaxNameBytes];
        _entries.Delete(key[..EncodeName(name, key)]);
        return true;
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
            structure.Check(visitor);
    }

    /// <summary>The structure of that name, from the cache, from the stored state, or made anew. Asserts its kind.</summary>
    internal T Open<T>(string name, StructureKind kind, Func<PageTransaction, string, T> make)
        where T : Structure
    {
        if (_open.TryGetValue(name, out var open))
        {
            var cached = (T)open;
            if (!cached.IsLoaded)
                Load(cached, kind);
            return cached;
        }
        var structure = make(_transaction, name);
        Load(structure, kind);
        _open.Add(name, structure);
        return structure;
    }

    /// <summary>The structure of that name and kind, created as <see cref="OpenTree"/> does.</summary>
    internal Structure OpenAs(string name, StructureKind kind)
    {
        if (_open.TryGetValue(name, out var open) && open.IsLoaded)
            return open;
        if (kind == StructureKind.FixedSizeTree)
            return Open(name, kind, static (transaction, treeName) => new FixedSizeTree(transaction, treeName));
        if (kind == StructureKind.PostingSet)
            return OpenPostingSet(name);
        Invariant.Require(kind == StructureKind.BTree);
        return OpenTree(name);
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
            if (structure.IsLoaded && structure.IsChanged)
                _changed.Add(structure);
        }
        // By name, not in the order of opening: what a transaction merely looked at must not show in the bytes that it leaves.
        _changed.Sort(static (a, b) => string.CompareOrdinal(a.Name, b.Name));
        foreach (var structure in _changed)
        {
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
