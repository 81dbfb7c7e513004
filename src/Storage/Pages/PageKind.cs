namespace Jackdaw.Storage.Pages;

/// <summary>What a page holds; stored in its header.</summary>
public enum PageKind : byte
{
    /// <summary>Not in use.</summary>
    Free = 0,

    /// <summary>The page that holds the state of the catalog and of free space.</summary>
    Meta = 1,

    /// <summary>A page of the free-space bitmap.</summary>
    Bitmap = 2,

    /// <summary>A leaf of a B+tree.</summary>
    TreeLeaf = 3,

    /// <summary>A branch of a B+tree.</summary>
    TreeBranch = 4,

    /// <summary>A leaf of a fixed-size tree.</summary>
    FixedLeaf = 5,

    /// <summary>A branch of a fixed-size tree.</summary>
    FixedBranch = 6,

    /// <summary>The first page of an overflow run.</summary>
    Overflow = 7,

    /// <summary>A page of a posting set.</summary>
    Postings = 8,
}
