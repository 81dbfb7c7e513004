using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>One page of a posting set: blocks up from the header, their packed differences down from the end.</summary>
internal readonly unsafe struct PostingPage(byte* page)
{
    /// <summary>Bytes for blocks and differences.</summary>
    public const int Capacity = PageLayout.BodySize;

    public PageHeader* Header => (PageHeader*)page;

    public int Count => Header->Count;

    public int UsedBytes => Header->PayloadBytes;

    public ref PostingBlock Block(int index) => ref *(PostingBlock*)(page + PageLayout.HeaderSize + index * PostingBlock.Size);

    public ReadOnlySpan<byte> Packed(int index)
    {
        ref PostingBlock block = ref Block(index);
        return new ReadOnlySpan<byte>(page + block.Offset, block.PackedBytes);
    }

    public int Unpack(int index, Span<long> numbers) => Block(index).Unpack(Packed(index), numbers);

    /// <summary>The last block that begins at or below the number; 0 when none does.</summary>
    public int BlockOf(long number)
    {
        int low = 0;
        int high = Count;
        while (high - low > 1)
        {
            int middle = (low + high) >>> 1;
            if (Block(middle).First <= number)
                low = middle;
            else
                high = middle;
        }
        return low;
    }

    public void Clear()
    {
        Header->Count = 0;
        Header->PayloadBytes = 0;
    }

    public void Append(PostingBlock block, ReadOnlySpan<byte> packed)
    {
        int count = Count;
        int dataBytes = UsedBytes - count * PostingBlock.Size;
        Invariant.Require(packed.Length == block.PackedBytes && UsedBytes + PostingBlock.Size + packed.Length <= Capacity);
        block.Offset = (ushort)(PageLayout.PageSize - dataBytes - packed.Length);
        packed.CopyTo(new Span<byte>(page + block.Offset, packed.Length));
        Header->Count = (ushort)(count + 1);
        Header->PayloadBytes += PostingBlock.Size + packed.Length;
        Block(count) = block;
    }
}
