using Jackdaw.Search.Fields;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Search.Batches;

/// <summary>What a batch has collected, in native memory.</summary>
internal sealed class BatchContent : IDisposable
{
    /// <summary>A list that has more is given back when the batch is empty: what is not used is another index's to take.</summary>
    public const long KeptBytes = 32 << 10;

    public BatchContent(NativeArena arena, FieldDirectory fields, ulong seed)
    {
        Fields = fields;
        Bytes = new NativeList<byte>(arena);
        Terms = new TermTable(arena, Bytes, seed);
        Sources = new NativeList<PendingSource>(arena);
        Entries = new NativeList<PendingEntry>(arena);
        EntryFields = new NativeList<PendingField>(arena);
        Postings = new NativeList<PendingPosting>(arena);
        Positions = new NativeList<uint>(arena);
    }

    public FieldDirectory Fields { get; }

    /// <summary>Keys of sources and terms, and stored sections.</summary>
    public NativeList<byte> Bytes { get; }

    public TermTable Terms { get; }

    public NativeList<PendingSource> Sources { get; }

    public NativeList<PendingEntry> Entries { get; }

    public NativeList<PendingField> EntryFields { get; }

    public NativeList<PendingPosting> Postings { get; }

    public NativeList<uint> Positions { get; }

    public SortedDictionary<string, byte[]> States { get; } = new(StringComparer.Ordinal);

    public void Empty()
    {
        Terms.Empty(KeptBytes);
        Bytes.Empty(KeptBytes);
        Sources.Empty(KeptBytes);
        Entries.Empty(KeptBytes);
        EntryFields.Empty(KeptBytes);
        Postings.Empty(KeptBytes);
        Positions.Empty(KeptBytes);
        States.Clear();
    }

    public void Dispose()
    {
        Terms.Dispose();
        Bytes.Dispose();
        Sources.Dispose();
        Entries.Dispose();
        EntryFields.Dispose();
        Postings.Dispose();
        Positions.Dispose();
    }
}
