namespace Jackdaw.Storage.Trees;

/// <summary>What a catalog entry is; stored in its <see cref="TreeState"/>.</summary>
public enum StructureKind : byte
{
    /// <summary>No structure: a state of zeros.</summary>
    None = 0,

    /// <summary>Keys and values of variable length.</summary>
    BTree = 1,

    /// <summary>64-bit keys and values of one size.</summary>
    FixedSizeTree = 2,

    /// <summary>A set of 64-bit numbers.</summary>
    PostingSet = 3,
}
