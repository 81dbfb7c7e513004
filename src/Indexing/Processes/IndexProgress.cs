using System.Buffers.Binary;
using Jackdaw.Indexing.Contents;
using Jackdaw.Indexing.Mapping;

namespace Jackdaw.Indexing.Processes;

/// <summary>
/// How far an index is, as it keeps it in its own environment, in the transaction of each batch. Layout: docs/indexing.md, "A batch".
/// </summary>
internal sealed record IndexProgress
{
    private const string PositionState = "position";
    private const string CollectionsState = "collections";
    private const string DatabaseState = "database";
    private const string TimeState = "time";
    private const string ValuesState = "values";

    /// <summary>What an index holds that has no <see cref="ValuesState"/>.</summary>
    private const uint FirstValuesVersion = 1;

    /// <summary>Nothing seen yet.</summary>
    public static IndexProgress None { get; } = new();

    /// <summary>The highest etag of its collections that it has seen.</summary>
    public long Position { get; init; }

    /// <summary>When the last batch was committed: UTC ticks; 0: none yet.</summary>
    public long AtTicks { get; init; }

    /// <summary>The database whose etags these are; null before the first batch.</summary>
    public Guid? DatabaseId { get; init; }

    /// <summary>The version of what it holds of values: <see cref="IndexedValues.Version"/> of the server that has built it.</summary>
    public uint ValuesVersion { get; init; } = IndexedValues.Version;

    /// <summary>The highest etags of documents and deletions that it has seen, in the order of its collections.</summary>
    public IReadOnlyList<(long Document, long Deletion)> Collections { get; init; } = [];

    public static IndexProgress Read(IIndexContentReader reader)
    {
        if (reader.State(PositionState) is not { } position)
            return None;
        return new IndexProgress
        {
            Position = BinaryPrimitives.ReadInt64LittleEndian(position),
            AtTicks = reader.State(TimeState) is { } time ? BinaryPrimitives.ReadInt64LittleEndian(time) : 0,
            DatabaseId = reader.State(DatabaseState) is { } id ? new Guid(id) : null,
            ValuesVersion = reader.State(ValuesState) is { } values ? BinaryPrimitives.ReadUInt32LittleEndian(values) : FirstValuesVersion,
            Collections = ReadCollections(reader.State(CollectionsState) ?? []),
        };
    }

    public void Write(IIndexBatch batch)
    {
        Span<byte> number = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(number, Position);
        batch.SetState(PositionState, number);
        BinaryPrimitives.WriteInt64LittleEndian(number, AtTicks);
        batch.SetState(TimeState, number);
        BinaryPrimitives.WriteUInt32LittleEndian(number, ValuesVersion);
        batch.SetState(ValuesState, number[..sizeof(uint)]);
        batch.SetState(DatabaseState, DatabaseId!.Value.ToByteArray());
        byte[] collections = new byte[2 * sizeof(long) * Collections.Count];
        for (int i = 0; i < Collections.Count; i++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(collections.AsSpan(16 * i), Collections[i].Document);
            BinaryPrimitives.WriteInt64LittleEndian(collections.AsSpan((16 * i) + 8), Collections[i].Deletion);
        }
        batch.SetState(CollectionsState, collections);
    }

    private static (long, long)[] ReadCollections(ReadOnlySpan<byte> state)
    {
        var collections = new (long, long)[state.Length / 16];
        for (int i = 0; i < collections.Length; i++)
            collections[i] = (
                BinaryPrimitives.ReadInt64LittleEndian(state[(16 * i)..]),
                BinaryPrimitives.ReadInt64LittleEndian(state[((16 * i) + 8)..])
            );
        return collections;
    }
}
