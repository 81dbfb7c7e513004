namespace Jackdaw.Storage.Tests;

internal readonly unsafe struct HeapPage(byte* memory, int runLength, ulong hash)
{
    public byte* Memory { get; } = memory;

    public int RunLength { get; } = runLength;

    /// <summary>Of the memory as committed.</summary>
    public ulong Hash { get; } = hash;
}
