using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Scratch;

/// <summary>One node of the page map: 64 children, which are nodes or, at the lowest level, page pointers.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct PageMapNode
{
    public const int Bits = 6;
    public const int FanOut = 1 << Bits;
    public const int Size = HeaderSize + FanOut * 8;
    private const int HeaderSize = 24;

    /// <summary>Bit i: child i is present.</summary>
    public ulong Present;

    /// <summary>The snapshot version that may change this node in place.</summary>
    public long Owner;

    /// <summary>Next in a list of retired or free nodes.</summary>
    public PageMapNode* Next;

    public static nint* Children(PageMapNode* node) => (nint*)((byte*)node + HeaderSize);
}
