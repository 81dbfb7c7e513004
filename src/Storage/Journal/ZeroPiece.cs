using Jackdaw.Storage.Memory;

namespace Jackdaw.Storage.Journal;

/// <summary>A megabyte of zeros to write from; shared by all journals of the process and never changed.</summary>
internal static unsafe class ZeroPiece
{
    public const int Bytes = 1 << 20;

    public static readonly byte* Pointer = Make();

    private static byte* Make()
    {
        var memory = new NativeArena("journal zeros").Allocate(Bytes, RecordLayout.Alignment);
        new Span<byte>(memory, Bytes).Clear();
        return memory;
    }
}
