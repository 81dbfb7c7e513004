using System.Buffers.Binary;
using Jackdaw.Storage;

namespace Jackdaw.Documents.EventStreams;

/// <summary>A deletion of events whose rows are still on disk. Layout: docs/event-streams.md, "Deletion record".</summary>
internal readonly record struct DeletionRecord(long StreamNumber, long From, long To, long Ticks)
{
    public const int Bytes = 40;
    public const byte Version = 1;

    public static bool IsWellFormed(ReadOnlySpan<byte> value) => value.Length == Bytes && value[0] == Version;

    public static DeletionRecord Read(ReadOnlySpan<byte> value)
    {
        Invariant.Require(IsWellFormed(value));
        return new DeletionRecord(
            BinaryPrimitives.ReadInt64LittleEndian(value[8..]),
            BinaryPrimitives.ReadInt64LittleEndian(value[16..]),
            BinaryPrimitives.ReadInt64LittleEndian(value[24..]),
            BinaryPrimitives.ReadInt64LittleEndian(value[32..])
        );
    }

    public void Write(Span<byte> value)
    {
        value[..8].Clear();
        value[0] = Version;
        BinaryPrimitives.WriteInt64LittleEndian(value[8..], StreamNumber);
        BinaryPrimitives.WriteInt64LittleEndian(value[16..], From);
        BinaryPrimitives.WriteInt64LittleEndian(value[24..], To);
        BinaryPrimitives.WriteInt64LittleEndian(value[32..], Ticks);
    }
}
