using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>Asks the processor for memory that is read soon. Where it cannot be asked nothing happens.</summary>
internal static unsafe class CacheLines
{
    public const int Bytes = 64;

    /// <summary>The line of an address, which need not be readable.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Fetch(byte* address)
    {
        if (Sse.IsSupported)
            Sse.Prefetch0(address);
    }

    /// <summary>All lines of a page.</summary>
    public static void FetchPage(byte* page)
    {
        for (int at = 0; at < PageLayout.PageSize; at += Bytes)
            Fetch(page + at);
    }
}
