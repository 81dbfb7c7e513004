namespace Jackdaw.Storage.Scratch;

/// <summary>One piece of native memory that is divided into slots for single pages, with a free list of its own: a block whose
/// slots are all free
/// can be given back at once.</summary>
internal sealed unsafe class ScratchBlock(byte* memory, int index)
{
    /// <summary>Slots of a block.</summary>
    public const int Slots = 128;

    public byte* Memory { get; } = memory;

    /// <summary>Its place in the pool's list, which each of its slots carries.</summary>
    public int Index { get; } = index;

    public ScratchSlot* Free { get; set; }

    public int FreeCount { get; set; }

    /// <summary>Neighbours among the blocks that have free slots and used ones.</summary>
    public ScratchBlock? Previous { get; set; }

    /// <inheritdoc cref="Previous"/>
    public ScratchBlock? Next { get; set; }
}
