using Jackdaw.Search.Batches;

namespace Jackdaw.Search.Entries;

/// <summary>The ids of a source's entries. Layout: docs/search-format.md, "Named structures".</summary>
internal static class SourceRecord
{
    /// <summary>Adds the ids to a list; returns how many.</summary>
    public static int Read(ReadOnlySpan<byte> bytes, NativeList<long> ids)
    {
        int at = 0;
        int count = checked((int)VarInt.Read(bytes, ref at));
        long id = 0;
        for (int i = 0; i < count; i++)
        {
            id += checked((long)VarInt.Read(bytes, ref at));
            ids.Add(id);
        }
        return count;
    }

    /// <summary>Writes ascending ids to the end of a list of bytes.</summary>
    public static void Write(ReadOnlySpan<long> ids, NativeList<byte> bytes)
    {
        bytes.AddVarInt((ulong)ids.Length);
        long before = 0;
        foreach (long id in ids)
        {
            bytes.AddVarInt((ulong)(id - before));
            before = id;
        }
    }
}
