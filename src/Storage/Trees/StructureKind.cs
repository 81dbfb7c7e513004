namespace Jackdaw.Storage.Trees;

/// <summary>What a catalog entry is; stored in its <see cref="TreeState"/>.</summary>
public enum StructureKind : byte
{
    /// <summary>No structure: a state of zeros.</summary>
    None = 0,
    BTree = 1,
    FixedSizeTree = 2,
    PostingSet = 3,
}
