using System.Runtime.CompilerServices;

namespace Jackdaw.Storage.Trees;

/// <summary>The pages from the root (0) down to a leaf, and the slot taken or meant in each.</summary>
[InlineArray(MaxDepth)]
internal struct TreePath
{
    /// <summary>A branch has at least seven children (keys of 1,024 bytes), so no tree that fits a disk is deeper.</summary>
    public const int MaxDepth = 16;

    private TreePathStep _first;
}
