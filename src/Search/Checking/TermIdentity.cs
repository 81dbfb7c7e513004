using System.Runtime.InteropServices;
using Jackdaw.Search.Batches;
using Jackdaw.Search.Dictionary;

namespace Jackdaw.Search.Checking;

/// <summary>What tells a term from the others of its field, in 64 bits.</summary>
internal static class TermIdentity
{
    public static ulong OfText(uint number) => TermTable.Mix((ulong)TermKind.Text, number);

    public static ulong OfMark(TermMark mark) => TermTable.Mix((ulong)TermKind.Mark, (ulong)mark);

    public static ulong OfNumber(ReadOnlySpan<byte> key)
    {
        ulong rest = key.Length == NumberKey.MaxBytes ? MemoryMarshal.Read<ushort>(key[sizeof(ulong)..]) : 0u;
        return TermTable.Mix(TermTable.Mix((ulong)TermKind.Number, MemoryMarshal.Read<ulong>(key)), rest);
    }
}
