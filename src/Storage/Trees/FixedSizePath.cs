using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Jackdaw.Storage.Trees;

/// <summary>The way from the root of a fixed-size tree to a leaf: at each level the page and the index taken in it.</summary>
internal struct FixedSizePath
{
    /// <summary>A branch has up to 510 children: trees of any size that a disk holds stay far below this.</summary>
    public const int MaxDepth = 16;

    private Levels _levels;

    public int Depth { get; set; }

    [UnscopedRef]
    public ref Level this[int level]
    {
        get
        {
            Invariant.Require((uint)level < (uint)Depth);
            return ref _levels[level];
        }
    }

    internal struct Level
    {
        public long Page;
        public int Index;
        public int Count;
    }

    [InlineArray(MaxDepth)]
    private struct Levels
    {
        private Level _first;
    }
}
