using Jackdaw.Storage;

namespace Jackdaw.Search.Postings;

/// <summary>The forms that lie in the term's record: single and packed.</summary>
internal static class SmallPostings
{
    /// <summary>Reads a term's postings; at most <see cref="TermRecord.MaxSmallBytes"/>.</summary>
    public static void Read(TermRecord record, PostingBuffer target)
    {
        target.Clear();
        Span<long> ids = stackalloc long[TermRecord.MaxSmallBytes];
        Span<uint> frequencies = stackalloc uint[TermRecord.MaxSmallBytes];
        var source = record.Payload;
        int count = ReadIdsAndFrequencies(record, ids, frequencies, out int at);
        bool hasPositions = (record.Options & PostingOptions.Positions) != 0;
        for (int i = 0; i < count; i++)
            target.AddFrom(ids[i], frequencies[i], source, ref at, hasPositions);
        Invariant.Require(at == source.Length);
    }

    /// <summary>Reads the ids alone; returns how many.</summary>
    public static int ReadIds(TermRecord record, Span<long> ids)
    {
        int at = 0;
        return ReadIds(record, ids, ref at);
    }

    /// <summary>Reads the ids and frequencies; returns how many. The positions begin at <paramref name="positionsAt"/> of the
    /// payload.</summary>
    public static int ReadIdsAndFrequencies(TermRecord record, Span<long> ids, Span<uint> frequencies, out int positionsAt)
    {
        Invariant.Require(record.Form != PostingForm.Large);
        int at = 0;
        int count = ReadIds(record, ids, ref at);
        bool hasFrequencies = (record.Options & PostingOptions.Frequencies) != 0;
        for (int i = 0; i < count; i++)
            frequencies[i] = hasFrequencies ? checked((uint)VarInt.Read(record.Payload, ref at)) : 1;
        positionsAt = at;
        return count;
    }

    /// <summary>Writes the postings without the record's header; returns their bytes, or 0 where they take more than
    /// <paramref name="atMost"/>.</summary>
    public static int Write(PostingBuffer postings, PostingOptions options, Span<byte> destination, int atMost, out PostingForm form)
    {
        var ids = postings.Ids;
        form = ids.Length == 1 ? PostingForm.Single : PostingForm.Packed;
        bool hasFrequencies = (options & PostingOptions.Frequencies) != 0;
        if (SizeOf(postings, hasFrequencies) > atMost)
            return 0;
        int at = 0;
        if (form == PostingForm.Packed)
            VarInt.Write(destination, ref at, (ulong)ids.Length);
        long before = 0;
        foreach (long id in ids)
        {
            VarInt.Write(destination, ref at, (ulong)(id - before));
            before = id;
        }
        if (hasFrequencies)
        {
            foreach (uint frequency in postings.Frequencies)
                VarInt.Write(destination, ref at, frequency);
        }
        postings.Positions.CopyTo(destination[at..]);
        return at + postings.PositionBytes;
    }

    private static int ReadIds(TermRecord record, Span<long> ids, ref int at)
    {
        var source = record.Payload;
        int count = record.Form == PostingForm.Single ? 1 : (int)VarInt.Read(source, ref at);
        Invariant.Require(count == record.DocumentFrequency && count <= ids.Length);
        long id = 0;
        for (int i = 0; i < count; i++)
            ids[i] = id += (long)VarInt.Read(source, ref at);
        return count;
    }

    private static int SizeOf(PostingBuffer postings, bool hasFrequencies)
    {
        int size = postings.PositionBytes + (postings.Count == 1 ? 0 : VarInt.Size((ulong)postings.Count));
        long before = 0;
        foreach (long id in postings.Ids)
        {
            size += VarInt.Size((ulong)(id - before));
            before = id;
        }
        if (!hasFrequencies)
            return size;
        foreach (uint frequency in postings.Frequencies)
            size += VarInt.Size(frequency);
        return size;
    }
}
