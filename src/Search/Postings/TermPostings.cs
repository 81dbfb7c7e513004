using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Postings;

/// <summary>Applies changes to the postings of terms, in whatever form they are. Of one thread; made once and used for many
/// terms.</summary>
internal sealed class TermPostings
{
    private readonly PostingBuffer _old = new();
    private readonly PostingBuffer _new = new();
    private readonly LargePostings _large = new();
    private readonly byte[] _record = new byte[TermRecord.MaxBytes];

    /// <summary>
    /// Applies changes to one term, whose record is written once. A term whose last posting goes is deleted from the dictionary; one that
    /// is not there is added.
    /// </summary>
    /// <param name="dictionary">Of the field; made with <see cref="TermRecord.TreeOptions"/>.</param>
    /// <param name="key">The term's key. Must not lie in the tree's pages.</param>
    /// <param name="options">Those of the field.</param>
    /// <param name="newTermNumber">The number of the term, if it is new; of one that is not numbered: that of its set, if it becomes
    /// large.</param>
    /// <param name="changes">At least one, in ascending order of entries, each entry once. A posting to remove must be there.</param>
    /// <param name="positions">The positions that the changes refer to; empty where the field keeps none.</param>
    /// <param name="lengths">Of the field, where it keeps frequencies: asked when a set becomes large.</param>
    /// <param name="isNumbered">False: the term has a number only while its set is large.</param>
    /// <param name="isAbsent">The caller has looked: the dictionary does not have the term.</param>
    public TermOutcome Apply(
        BTree dictionary,
        ReadOnlySpan<byte> key,
        PostingOptions options,
        uint newTermNumber,
        ReadOnlySpan<PostingChange> changes,
        ReadOnlySpan<uint> positions,
        IFieldLengths? lengths = null,
        bool isNumbered = true,
        bool isAbsent = false
    )
    {
        Invariant.Require(!changes.IsEmpty && changes[0].Entry > 0);
        long terms = dictionary.EntryCount;
        uint before = 0;
        uint number = isNumbered ? newTermNumber : 0;
        _old.Clear();
        if (!isAbsent && dictionary.TryGet(key, out var value))
        {
            var record = new TermRecord(value);
            Invariant.Require(record.Options == options, "the postings were made with other options");
            (before, number) = (record.DocumentFrequency, record.TermNumber);
            if (record.Form == PostingForm.Large)
                return new TermOutcome(
                    number,
                    ApplyToLarge(dictionary, key, options, before, number, isNumbered, changes, positions),
                    before
                );
            SmallPostings.Read(record, _old);
        }
        if (!TryApplyToSmall(dictionary, key, options, number, changes, positions, out uint after))
        {
            number = number == 0 ? newTermNumber : number;
            after = Enlarge(dictionary, key, options, number, changes, positions, lengths);
        }
        Invariant.Require(dictionary.EntryCount - terms == (after > 0 ? 1 : 0) - (before > 0 ? 1 : 0), "a term was there, or was not");
        return new TermOutcome(number, after, before);
    }

    /// <summary>False, and nothing changed, where the postings are too many for a small form.</summary>
    private bool TryApplyToSmall(
        BTree dictionary,
        ReadOnlySpan<byte> key,
        PostingOptions options,
        uint number,
        ReadOnlySpan<PostingChange> changes,
        ReadOnlySpan<uint> positions,
        out uint after
    )
    {
        after = 0;
        if (!TryMerge(changes, positions, (options & PostingOptions.Positions) != 0))
            return false;
        if (_new.Count == 0)
        {
            bool existed = dictionary.Delete(key);
            Invariant.Require(existed);
            return true;
        }
        after = (uint)_new.Count;
        return TryPutSmall(dictionary, key, options, number, _new, TermRecord.MaxSmallBytes);
    }

    /// <summary>Merges the old postings with the changes. False where there are surely too many: a posting takes a byte at least.</summary>
    private bool TryMerge(ReadOnlySpan<PostingChange> changes, ReadOnlySpan<uint> positions, bool hasPositions)
    {
        _new.Clear();
        int old = 0;
        foreach (ref readonly var change in changes)
        {
            for (; old < _old.Count && _old.Ids[old] < change.Entry; old++)
                _new.Add(_old.Ids[old], _old.Frequencies[old], _old.PositionsOf(old));
            bool replaces = old < _old.Count && _old.Ids[old] == change.Entry;
            Invariant.Require(replaces || !change.IsRemoval, "the posting to remove is not there");
            old += replaces ? 1 : 0;
            if (change.IsRemoval)
                continue;
            int count = hasPositions ? checked((int)change.Frequency) : 0;
            if (_new.Count >= TermRecord.MaxSmallBytes || _new.PositionBytes + count > TermRecord.MaxSmallBytes)
                return false;
            _new.Add(change.Entry, change.Frequency, positions.Slice(hasPositions ? change.PositionsAt : 0, count));
        }
        for (; old < _old.Count; old++)
            _new.Add(_old.Ids[old], _old.Frequencies[old], _old.PositionsOf(old));
        return true;
    }

    private bool TryPutSmall(
        BTree dictionary,
        ReadOnlySpan<byte> key,
        PostingOptions options,
        uint number,
        PostingBuffer postings,
        int atMost
    )
    {
        int size = SmallPostings.Write(postings, options, _record.AsSpan(TermRecord.HeaderBytes), atMost, out var form);
        if (size == 0)
            return false;
        TermRecord.WriteHeader(_record, (uint)postings.Count, number, form, options);
        dictionary.Put(key, _record.AsSpan(0, TermRecord.HeaderBytes + size));
        return true;
    }

    /// <summary>Makes a large set of the old postings, and applies the changes to it.</summary>
    private uint Enlarge(
        BTree dictionary,
        ReadOnlySpan<byte> key,
        PostingOptions options,
        uint number,
        ReadOnlySpan<PostingChange> changes,
        ReadOnlySpan<uint> positions,
        IFieldLengths? lengths
    )
    {
        foreach (long id in _old.Ids)
            _old.NoteLength(lengths?.LengthOf(id) ?? 0);
        OpenLarge(dictionary, number, options);
        if (_old.Count > 0)
            _large.Begin(_old);
        uint after = checked((uint)(_old.Count + _large.Apply(changes, positions)));
        Invariant.Require(after > 0);
        PutLarge(dictionary, key, options, number, after);
        return after;
    }

    private uint ApplyToLarge(
        BTree dictionary,
        ReadOnlySpan<byte> key,
        PostingOptions options,
        uint before,
        uint number,
        bool keepsNumber,
        ReadOnlySpan<PostingChange> changes,
        ReadOnlySpan<uint> positions
    )
    {
        OpenLarge(dictionary, number, options);
        uint after = checked((uint)(before + _large.Apply(changes, positions)));
        if (after == 0)
        {
            dictionary.Delete(key);
            return 0;
        }
        // Shrinking to a quarter only keeps a set that grows and shrinks by one from changing its form each time.
        if (after <= TermRecord.ShrinkToBytes)
        {
            _large.ReadAll(_new);
            if (TryPutSmall(dictionary, key, options, keepsNumber ? number : 0, _new, TermRecord.ShrinkToBytes))
            {
                _large.RemoveAll();
                return after;
            }
        }
        if (after != before)
            PutLarge(dictionary, key, options, number, after);
        return after;
    }

    private void OpenLarge(BTree dictionary, uint number, PostingOptions options)
    {
        Invariant.Require(number != 0, "a large set has a number");
        bool hasPositions = (options & PostingOptions.Positions) != 0;
        _large.Open(BlockTree.Blocks(dictionary, number), hasPositions ? BlockTree.Positions(dictionary, number) : null);
    }

    private void PutLarge(BTree dictionary, ReadOnlySpan<byte> key, PostingOptions options, uint number, uint documentFrequency)
    {
        TermRecord.WriteHeader(_record, documentFrequency, number, PostingForm.Large, options);
        dictionary.Put(key, _record.AsSpan(0, TermRecord.HeaderBytes));
    }
}
