using Jackdaw.Storage.Journal;

namespace Jackdaw.Storage;

/// <summary><see cref="PlantedFault.XorDifferences"/>: what differences must not be, on both sides.</summary>
internal static unsafe class PlantedXor
{
    public static void Write(ref BlockSink sink, byte* old, byte* @new, int length)
    {
        var bytes = new byte[length];
        for (var i = 0; i < length; i++)
            bytes[i] = (byte)(old[i] ^ @new[i]);
        fixed (byte* pointer = bytes)
            sink.Write(pointer, length);
    }

    public static void Apply(in JournalEntry entry, byte* page)
    {
        var list = entry.Bytes;
        for (var i = 0; i < entry.Differences; i++)
        {
            int offset = *(ushort*)list;
            int length = *(ushort*)(list + 2);
            list += PageDifferences.DifferenceHeaderBytes;
            for (var j = 0; j < length; j++)
                page[offset + j] ^= *list++;
        }
    }
}
