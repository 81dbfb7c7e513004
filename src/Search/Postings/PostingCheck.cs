using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Postings;

/// <summary>Finds broken rules in one term's postings. See docs/search-format.md, "Invariants".</summary>
internal static class PostingCheck
{
    /// <summary>Returns the first problem, or null. What is beyond reading throws, as reading does.</summary>
    /// <param name="dictionary">The tree that has the term.</param>
    /// <param name="value">The term's record.</param>
    /// <param name="options">Those of the field.</param>
    /// <param name="lengths">Of the field, where it keeps frequencies.</param>
    public static string? ProblemOf(BTree dictionary, ReadOnlySpan<byte> value, PostingOptions options, IFieldLengths? lengths = null)
    {
        var record = new TermRecord(value);
        if (record.Options != options)
            return $"its postings have options {record.Options}, the field has {options}";
        long count = 0;
        long last = 0;
        var room = new PostingBuffer();
        using (var walk = new PostingWalk(dictionary, value))
        {
            while (walk.Next(room) is { } postings)
            {
                if (postings.Ids[0] <= last)
                    return $"its ids are out of order at {postings.Ids[0]}";
                last = postings.Ids[^1];
                count += postings.Count;
                if ((options & PostingOptions.Frequencies) == 0 && postings.Frequencies.ContainsAnyExcept(1u))
                    return "it has frequencies, which the field does not keep";
            }
        }
        if (count != record.DocumentFrequency)
            return $"it has {count} postings, its document frequency is {record.DocumentFrequency}";
        return record.Form == PostingForm.Large ? ProblemOfBlocks(dictionary, record.TermNumber, lengths) : null;
    }

    /// <summary>Returns how many blocks the set has; 0 for a small one.</summary>
    public static long BlocksOf(BTree dictionary, ReadOnlySpan<byte> value)
    {
        var record = new TermRecord(value);
        if (record.Form != PostingForm.Large)
            return 0;
        long blocks = 0;
        using var cursor = BlockTree.Blocks(dictionary, record.TermNumber).OpenCursor();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            blocks++;
        return blocks;
    }

    private static string? ProblemOfBlocks(BTree dictionary, uint set, IFieldLengths? lengths)
    {
        var blocks = BlockTree.Blocks(dictionary, set);
        var ids = new long[TermBlock.MaxIds];
        var frequencies = new uint[TermBlock.MaxIds];
        long last = -1;
        using var cursor = blocks.OpenCursor();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
        {
            long key = cursor.Key;
            var block = new TermBlock(cursor.Value);
            int count = block.ReadIds(ids);
            block.ReadFrequencies(frequencies);
            if (last < 0 && key != 0)
                return $"its first block has the key {key}";
            if (key <= last || key > ids[0])
                return $"its block of key {key} begins with {ids[0]}, behind {last}";
            last = ids[count - 1];
            if (!frequencies.AsSpan(0, count).Contains(block.GreatestFrequency) || frequencies.Take(count).Max() > block.GreatestFrequency)
                return $"its block of key {key} does not have the greatest frequency {block.GreatestFrequency}";
            for (int i = 0; lengths is not null && i < count; i++)
            {
                if (lengths.LengthOf(ids[i]) < block.ShortestLength)
                    return $"its block of key {key} has a shorter length than {block.ShortestLength}: entry {ids[i]}";
            }
        }
        return null;
    }
}
