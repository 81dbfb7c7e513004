namespace Jackdaw.Search.Batches;

/// <summary>Lists of bytes that are written to.</summary>
internal static class NativeListBytes
{
    public static void AddVarInt(this NativeList<byte> bytes, ulong value)
    {
        int count = bytes.Count;
        int at = 0;
        VarInt.Write(bytes.AddMany(VarInt.MaxBytes), ref at, value);
        bytes.Truncate(count + at);
    }

    public static void AddRange(this NativeList<byte> bytes, ReadOnlySpan<byte> added) => added.CopyTo(bytes.AddMany(added.Length));
}
