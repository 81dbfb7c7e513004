using System.Buffers.Binary;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Rooms;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Snapshots;

/// <summary>
/// The numbers of contents and of leftover records: one ascending sequence for each database, none used twice. Not the etags: nobody who
/// follows changes is to be woken by a snapshot, or to lag behind one.
/// </summary>
internal static class SnapshotNumbers
{
    private const string Key = "snapshots/last-number";

    private static ReadOnlySpan<byte> KeyBytes => "snapshots/last-number"u8;

    /// <summary>Hands out the next number.</summary>
    public static long Next(in RoomWriter writer)
    {
        long last = writer.TryGetValue(KeyBytes, out var stored) ? Read(stored) : 0;
        if (last == long.MaxValue)
            throw new NumbersExhaustedException("The list of snapshot contents", last);
        byte[] value = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(value, last + 1);
        writer.SetValue(KeyBytes, value);
        return last + 1;
    }

    /// <summary>The last number that was handed out; 0: none.</summary>
    public static long Last(RoomReader reader) => reader.TryGetValue(Key, out var stored) ? Read(stored) : 0;

    private static long Read(ReadOnlySpan<byte> stored)
    {
        Invariant.Require(stored.Length == sizeof(long));
        return BinaryPrimitives.ReadInt64LittleEndian(stored);
    }
}
