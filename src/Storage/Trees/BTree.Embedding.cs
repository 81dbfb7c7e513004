using System.Runtime.CompilerServices;

namespace Jackdaw.Storage.Trees;

/// <summary>The structures whose states lie in the tree's values; see <see cref="EmbeddedStates"/>.</summary>
public sealed unsafe partial class BTree
{
    private EmbeddedStructures? _embedded;

    /// <summary>The structures embedded in the tree's values. Only for trees made with <see cref="BTreeOptions.Embeds"/>.</summary>
    public EmbeddedStructures Embedded
    {
        get
        {
            Invariant.Require(State.EmbeddedCount != 0, "the tree was made without embedded states");
            return _embedded ??= new EmbeddedStructures(this);
        }
    }

    /// <summary>What the tree was made with.</summary>
    public BTreeOptions Options => BTreeOptions.Of(State);

    internal override bool NeedsCompletion => _hasStaleCounts || _embedded is { OpenCount: > 0 };

    /// <summary>A tree without pages and options takes these; any other must have them already.</summary>
    internal BTree WithOptions(in BTreeOptions options)
    {
        if (State.RootPage == 0 && Options == default)
        {
            options.ApplyTo(ref State);
            IsChanged |= Transaction.IsWritable;
        }
        Invariant.Require(Options == options, "the tree was made with other options");
        return this;
    }

    internal override void CompleteBatch()
    {
        _embedded?.WriteStates();
        if (_hasStaleCounts)
            UpdateCounts();
        if (KeepsCounts && IsChanged)
            RequireSumOfCounts();
    }

    /// <summary>An object for an embedded structure of that state, which this tree does not keep: for reading it only.</summary>
    internal Structure OpenEmbedded(byte[] key, int ordinal, in TreeState state)
    {
        var structure = StructureDescriptor.Of(state.Kind).Make(Transaction, name: null);
        structure.PlaceAt(this, key, ordinal);
        structure.State = state;
        structure.IsLoaded = true;
        structure.OnStateLoaded();
        return structure;
    }

    /// <summary>Writes an embedded state into its value, where it lies.</summary>
    internal void WriteEmbedded(ReadOnlySpan<byte> key, int ordinal, in TreeState state)
    {
        RequireWritable();
        Descend(key);
        Invariant.Require(_locatedExactly, "the value that a structure is embedded in is gone");
        var layout = EmbeddedStates.Of(State);
        Invariant.Require(layout.AreIn(ReadValue(new TreePage(_located.Pointer), _located.Index).Length));
        Version++;
        byte* value = ModifyLocatedValue();
        Unsafe.WriteUnaligned(value + layout.OffsetOf(ordinal), state);
    }

    /// <summary>Hands the embedded structures of one value to another, which has room for them and none yet.</summary>
    internal void MoveEmbedded(ReadOnlySpan<byte> from, ReadOnlySpan<byte> to)
    {
        var layout = EmbeddedStates.Of(State);
        Invariant.Require(!Embedded.IsOpen(from) && !Embedded.IsOpen(to));
        for (int ordinal = 0; ordinal < layout.Count; ordinal++)
        {
            var state = Embedded.StateOf(from, ordinal);
            if (state.Kind == StructureKind.None)
                continue;
            WriteEmbedded(from, ordinal, default);
            WriteEmbedded(to, ordinal, state);
        }
    }

    /// <summary>Puts the located entry. The states that its value holds are the engine's: they stay what they are.</summary>
    private bool PutAroundStates(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        var layout = EmbeddedStates.Of(State);
        Span<byte> states = stackalloc byte[EmbeddedStates.MaxCount * TreeState.Size];
        states = states[..layout.Bytes];
        states.Clear();
        if (_locatedExactly)
        {
            var old = ReadValue(new TreePage(_located.Pointer), _located.Index);
            if (layout.AreIn(old.Length) && layout.AreIn(value.Length))
                old.Slice(layout.Offset, layout.Bytes).CopyTo(states);
            else
                DropEmbedded(key);
        }
        var room = Place(key, value.Length, out bool isNew, out var replaced);
        value.CopyTo(room);
        if (layout.AreIn(value.Length))
            states.CopyTo(room[layout.Offset..]);
        FreeOverflow(replaced);
        return isNew;
    }

    /// <summary>Drops the structures that are embedded in the value of the located entry. The tree's own pages stay as they are.</summary>
    private void DropEmbedded(ReadOnlySpan<byte> key)
    {
        var value = ReadValue(new TreePage(_located.Pointer), _located.Index);
        if (EmbeddedStates.Of(State).AreIn(value.Length))
            Embedded.DropAll(key, value);
    }
}
