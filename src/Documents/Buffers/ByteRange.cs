namespace Jackdaw.Documents.Buffers;

/// <summary>A piece of a buffer, in bytes.</summary>
internal readonly record struct ByteRange(int Start, int Length)
{
    public int End => Start + Length;

    public bool IsEmpty => Length == 0;
}
