using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Scratch;

/// <summary>
/// The 64 bytes in front of each page or run in scratch. A slot lives from the transaction that wrote it until its page has been flushed,
/// or superseded, or freed, *and* no snapshot that could show it is alive.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct ScratchSlot
{
    public const int HeaderSize = 64;

    /// <summary>Next in the list of retired slots, or in the pool's free list.</summary>
    public ScratchSlot* Next;

    /// <summary>The snapshot version (hence the writer) that made it.</summary>
    public long Version;

    /// <summary>The page as last journaled, in scratch or in the mapped file; null where the page is to be journaled whole.</summary>
    public byte* Base;

    /// <summary>The snapshot version that allocated the page; 0: it is older than all that is in scratch of it.</summary>
    public long AllocatedAt;

    /// <summary>Pages in the run.</summary>
    public int RunLength;

    /// <summary>Not 0 once the flush pass has written it to the data file.</summary>
    public int Flushed;

    /// <summary>Of a single page: the block that it is a slot of.</summary>
    public int Block;

    public static ScratchSlot* Of(byte* page) => (ScratchSlot*)(page - HeaderSize);

    public static byte* PageOf(ScratchSlot* slot) => (byte*)slot + HeaderSize;
}
