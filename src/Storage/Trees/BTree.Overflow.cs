using System.Runtime.CompilerServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

public sealed unsafe partial class BTree
{
    /// <summary>Pages of the run for a value of so many bytes.</summary>
    internal static int OverflowRunLength(int valueBytes) =>
        (int)(((long)PageLayout.HeaderSize + valueBytes + PageLayout.PageSize - 1) / PageLayout.PageSize);

    private OverflowReference AllocateOverflow(int valueBytes, out byte* payload)
    {
        int runLength = OverflowRunLength(valueBytes);
        byte* run = Transaction.AllocatePages(runLength, PageKind.Overflow, out long pageNumber);
        ((PageHeader*)run)->PayloadBytes = valueBytes;
        payload = run + PageLayout.HeaderSize;
        State.OverflowPages += runLength;
        IsChanged = true;
        return new OverflowReference
        {
            PageNumber = pageNumber,
            Length = valueBytes,
            RunLength = runLength,
        };
    }

    private ReadOnlySpan<byte> ReadOverflow(byte* stored)
    {
        var reference = Unsafe.ReadUnaligned<OverflowReference>(stored);
        byte* run = Transaction.ReadPage(reference.PageNumber);
        var header = (PageHeader*)run;
        Invariant.Require(header->Kind == PageKind.Overflow && header->PayloadBytes == reference.Length);
        return new ReadOnlySpan<byte>(run + PageLayout.HeaderSize, reference.Length);
    }

    private void FreeOverflow(OverflowReference reference)
    {
        if (reference.RunLength == 0)
            return;
        Transaction.FreePages(reference.PageNumber, reference.RunLength);
        State.OverflowPages -= reference.RunLength;
        IsChanged = true;
    }
}
