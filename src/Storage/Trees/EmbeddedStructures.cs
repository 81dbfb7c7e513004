using System.Diagnostics.CodeAnalysis;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// The structures embedded in one tree's values, by the value's key and the state's number in it. Obtained from
/// <see cref="BTree.Embedded"/>. The value must be there before a structure in it is opened. In a writer an open structure's state is
/// written into its value when it is closed, at the latest at commit; until then the value shows the state before.
/// </summary>
/// <remarks>An open structure takes about half a kilobyte of memory. Who changes many in one transaction closes each when done.</remarks>
public sealed class EmbeddedStructures
{
    private const int PooledOfAKind = 8;
    private const int MaxPlaceBytes = BTree.MaxKeyBytes + 1;

    private readonly BTree _parent;

    /// <summary>By the value's key with the state's number behind it.</summary>
    private readonly Dictionary<byte[], Structure> _open = new(ByteKeys.Instance);
    private readonly Dictionary<byte[], Structure>.AlternateLookup<ReadOnlySpan<byte>> _byPlace;
    private readonly List<KeyValuePair<byte[], Structure>> _inOrder = [];
    private readonly Dictionary<StructureKind, Stack<Structure>> _pool = [];

    internal EmbeddedStructures(BTree parent)
    {
        _parent = parent;
        _byPlace = _open.GetAlternateLookup<ReadOnlySpan<byte>>();
    }

    /// <summary>Structures that were opened and not closed.</summary>
    public int OpenCount => _open.Count;

    /// <summary>Returns the tree embedded there. Where there is none, a writer creates it with these options; a reader gets an empty
    /// one.</summary>
    public BTree OpenTree(ReadOnlySpan<byte> key, int ordinal = 0, BTreeOptions options = default)
    {
        var tree = (BTree)Open(key, ordinal, StructureKind.BTree);
        return options == default ? tree : tree.WithOptions(options);
    }

    /// <summary>Returns the fixed-size tree embedded there, as <see cref="OpenTree"/> does. The size of <typeparamref name="TValue"/>
    /// must be the one it was created with.</summary>
    public FixedSizeTree<TValue> OpenFixedTree<TValue>(ReadOnlySpan<byte> key, int ordinal = 0)
        where TValue : unmanaged => new((FixedSizeTree)Open(key, ordinal, StructureKind.FixedSizeTree));

    /// <summary>Returns the posting set embedded there, as <see cref="OpenTree"/> does.</summary>
    public PostingSet OpenPostingSet(ReadOnlySpan<byte> key, int ordinal = 0) => (PostingSet)Open(key, ordinal, StructureKind.PostingSet);

    /// <summary>Returns what is embedded there; <see cref="StructureKind.None"/> where nothing is, or the value is too short for
    /// states.</summary>
    public StructureKind KindOf(ReadOnlySpan<byte> key, int ordinal = 0) => StateOf(key, ordinal).Kind;

    /// <summary>Writes the states of the value's open structures into it. Their objects must not be used afterwards.</summary>
    public void Close(ReadOnlySpan<byte> key)
    {
        for (int ordinal = 0; ordinal < _parent.State.EmbeddedCount; ordinal++)
        {
            if (!Take(key, ordinal, out var structure))
                continue;
            if (_parent.Transaction.IsWritable)
                WriteState(structure);
            if (!_pool.TryGetValue(structure.Kind, out var pool))
                _pool.Add(structure.Kind, pool = []);
            if (pool.Count < PooledOfAKind)
                pool.Push(structure);
        }
    }

    /// <summary>
    /// Frees about <paramref name="maxPages"/> pages of the structure embedded there; true when it is gone. Structures of any size can
    /// so be dropped over several transactions. Objects opened before must not be used afterwards.
    /// </summary>
    public bool DropSome(ReadOnlySpan<byte> key, int ordinal = 0, long maxPages = long.MaxValue)
    {
        Invariant.Require(_parent.Transaction.IsWritable && maxPages > 0);
        Release(key);
        var state = StateOf(key, ordinal);
        if (state.Kind == StructureKind.None)
            return true;
        bool isGone = DropSome(key, ordinal, ref state, ref maxPages);
        _parent.WriteEmbedded(key, ordinal, isGone ? default : state);
        return isGone;
    }

    internal Structure Open(ReadOnlySpan<byte> key, int ordinal, StructureKind kind)
    {
        Span<byte> place = stackalloc byte[MaxPlaceBytes];
        place = PlaceOf(key, ordinal, place);
        if (_byPlace.TryGetValue(place, out var open))
        {
            Invariant.Require(open.Kind == kind, "a structure of another kind is embedded there");
            return open;
        }
        bool found = _parent.TryGet(key, out var value);
        Invariant.Require(found && EmbeddedStates.Of(_parent.State).AreIn(value.Length), "there is no value for the key that holds states");
        var state = EmbeddedStates.Of(_parent.State).Read(value, ordinal);
        if (state.Kind == StructureKind.None)
            state.Kind = kind;
        Invariant.Require(state.Kind == kind, "a structure of another kind is embedded there");
        var structure = Make(key, ordinal, state);
        _open.Add(place.ToArray(), structure);
        return structure;
    }

    /// <summary>The newest state, also of an open structure.</summary>
    internal TreeState StateOf(ReadOnlySpan<byte> key, int ordinal)
    {
        Span<byte> place = stackalloc byte[MaxPlaceBytes];
        if (_byPlace.TryGetValue(PlaceOf(key, ordinal, place), out var open))
            return open.State;
        var layout = EmbeddedStates.Of(_parent.State);
        return _parent.TryGet(key, out var value) && layout.AreIn(value.Length) ? layout.Read(value, ordinal) : default;
    }

    /// <summary>Does the value own pages through its states?</summary>
    internal bool OwnsPages(ReadOnlySpan<byte> key)
    {
        for (int ordinal = 0; ordinal < _parent.State.EmbeddedCount; ordinal++)
        {
            if (StateOf(key, ordinal).RootPage != 0)
                return true;
        }
        return false;
    }

    internal bool IsOpen(ReadOnlySpan<byte> key)
    {
        Span<byte> place = stackalloc byte[MaxPlaceBytes];
        for (int ordinal = 0; ordinal < _parent.State.EmbeddedCount && _open.Count > 0; ordinal++)
        {
            if (_byPlace.ContainsKey(PlaceOf(key, ordinal, place)))
                return true;
        }
        return false;
    }

    /// <summary>Stores the states of the open structures; they stay open.</summary>
    internal void WriteStates()
    {
        // By key, not in the order of opening: neighbours share a page, and what a transaction looked at must not show in its bytes.
        _inOrder.AddRange(_open);
        _inOrder.Sort(static (a, b) => a.Key.AsSpan().SequenceCompareTo(b.Key));
        foreach (var (_, structure) in _inOrder)
            WriteState(structure);
        _inOrder.Clear();
    }

    /// <summary>Stores the states of the value's open structures; their objects can do nothing any more.</summary>
    internal void Release(ReadOnlySpan<byte> key)
    {
        for (int ordinal = 0; ordinal < _parent.State.EmbeddedCount; ordinal++)
        {
            if (!Take(key, ordinal, out var structure))
                continue;
            WriteState(structure);
            structure.Kill();
        }
    }

    /// <summary>The same with every open structure.</summary>
    internal void ReleaseAll()
    {
        WriteStates();
        foreach (var structure in _open.Values)
            structure.Kill();
        _open.Clear();
    }

    /// <summary>The transaction is over: what was opened in it is no more.</summary>
    internal void Forget() => _open.Clear();

    /// <summary>Frees the pages of all structures of a value that is about to go. Nothing is written into it.</summary>
    internal void DropAll(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        var layout = EmbeddedStates.Of(_parent.State);
        for (int ordinal = 0; ordinal < layout.Count; ordinal++)
        {
            if (!Take(key, ordinal, out var structure))
            {
                var state = layout.Read(value, ordinal);
                if (state.Kind == StructureKind.None)
                    continue;
                structure = Make(key, ordinal, state);
            }
            if (_parent.Transaction.Planted != PlantedFault.LeakedChild)
                structure.FreeAllPages();
            structure.Kill();
        }
    }

    /// <summary>Frees some pages of a structure that is not open, and tells its state after that.</summary>
    internal bool DropSome(ReadOnlySpan<byte> key, int ordinal, ref TreeState state, ref long pages)
    {
        var structure = Make(key, ordinal, state);
        bool isGone = structure.DropSome(ref pages);
        structure.CompleteBatch();
        state = structure.State;
        return isGone;
    }

    private void WriteState(Structure structure)
    {
        structure.CompleteBatch();
        if (structure is { EntryCount: 0, PageCount: > 0 })
            structure.FreeAllPages();
        if (!structure.IsChanged)
            return;
        _parent.WriteEmbedded(structure.Key, structure.Ordinal, structure.State);
        structure.IsChanged = false;
    }

    private bool Take(ReadOnlySpan<byte> key, int ordinal, [NotNullWhen(true)] out Structure? structure)
    {
        structure = null;
        if (_open.Count == 0)
            return false;
        Span<byte> place = stackalloc byte[MaxPlaceBytes];
        return _byPlace.Remove(PlaceOf(key, ordinal, place), out _, out structure);
    }

    private static Span<byte> PlaceOf(ReadOnlySpan<byte> key, int ordinal, Span<byte> room)
    {
        Invariant.Require(key.Length <= BTree.MaxKeyBytes);
        key.CopyTo(room);
        room[key.Length] = (byte)ordinal;
        return room[..(key.Length + 1)];
    }

    private Structure Make(ReadOnlySpan<byte> key, int ordinal, in TreeState state)
    {
        var structure =
            _pool.TryGetValue(state.Kind, out var pool) && pool.TryPop(out var pooled)
                ? pooled
                : StructureDescriptor.Of(state.Kind).Make(_parent.Transaction, name: null);
        structure.PlaceAt(_parent, key.ToArray(), ordinal);
        structure.State = state;
        structure.IsLoaded = true;
        structure.IsChanged = false;
        structure.OnStateLoaded();
        return structure;
    }
}
