namespace Jackdaw.Storage.Pages;

/// <summary>What a page holds; stored in its header.</summary>
public enum PageKind : byte
{
    Free = 0,
    Meta = 1,
    Bitmap = 2,
    TreeLeaf = 3,
    TreeBranch = 4,
    FixedLeaf = 5,
    FixedBranch = 6,
    Overflow = 7,
    Postings = 8,
}
