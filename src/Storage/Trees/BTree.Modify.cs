using System.Runtime.CompilerServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>Changing values where they lie.</summary>
public sealed unsafe partial class BTree
{
    /// <summary>
    /// Finds a value to change in place, without changing its length: no page splits, and an overflow run of one page stays where it
    /// is. The bytes may be read and written until the next modification through the transaction. Of a value that holds embedded states
    /// only the bytes before the first one are handed out. False when there is no such key.
    /// </summary>
    /// <remarks>In a tree that keeps sums, the sums on the path count as changed.</remarks>
    public bool TryModify(scoped ReadOnlySpan<byte> key, out Span<byte> value)
    {
        RequireWritable();
        RequireKey(key);
        value = default;
        if (State.RootPage == 0)
            return false;
        Descend(key);
        if (!_locatedExactly)
            return false;
        if (KeepsSums)
            MarkPathStale();
        var leaf = new TreePage(_located.Pointer);
        int length = ReadValue(leaf, _located.Index).Length;
        var layout = EmbeddedStates.Of(State);
        value = new Span<byte>(ModifyLocatedValue(), layout.Count != 0 && layout.AreIn(length) ? layout.Offset : length);
        Version++;
        return true;
    }

    /// <summary>Makes the memory of the located value writable. A run of one page is changed alone, without the leaf that refers to
    /// it.</summary>
    private byte* ModifyLocatedValue()
    {
        int level = State.Depth - 1;
        int index = _path[level].Index;
        var leaf = new TreePage(_path[level].Pointer);
        if (!leaf.IsOverflow(index))
            return ModifyPath(level).ValuePointer(index);
        var reference = Unsafe.ReadUnaligned<OverflowReference>(leaf.ValuePointer(index));
        if (reference.RunLength == 1)
            return Transaction.ModifyPage(reference.PageNumber) + PageLayout.HeaderSize;
        byte* run = Transaction.ReadPage(reference.PageNumber);
        if (((PageHeader*)run)->TransactionId == Transaction.Id)
            return run + PageLayout.HeaderSize; // made by this transaction: nobody else sees it
        var copy = AllocateOverflow(reference.Length, out byte* payload);
        ReadOverflow(leaf.ValuePointer(index)).CopyTo(new Span<byte>(payload, reference.Length));
        Unsafe.WriteUnaligned(ModifyPath(level).ValuePointer(index), copy);
        FreeOverflow(reference);
        return payload;
    }
}
