using System.Buffers.Binary;
using Jackdaw.Search.Columns;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Entries;
using Jackdaw.Search.Fields;
using Jackdaw.Storage;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Search.Batches;

/// <summary>
/// Compares the entries of the index with what they become. Only terms that came, went, or changed their frequency, positions or length
/// become changes.
/// </summary>
internal sealed class EntryDifferences(BatchContent content, BatchFields fields, NativeArena arena) : IDisposable
{
    private readonly NativeList<TermChange> _changes = new(arena);
    private readonly NativeList<PendingCell> _cells = new(arena);
    private readonly NativeList<PendingLength> _lengths = new(arena);
    private readonly NativeList<OldTerm> _old = new(arena);
    private readonly NumberMap _byNumber = new(arena);

    /// <summary>By term in no order, of each term in ascending order of entries.</summary>
    public NativeList<TermChange> Changes => _changes;

    public NativeList<PendingCell> Cells => _cells;

    public NativeList<PendingLength> Lengths => _lengths;

    /// <summary>Entries in the index, less those before.</summary>
    public long EntriesAdded { get; private set; }

    /// <summary>Makes known the number of a term that the index has.</summary>
    public void Know(int term)
    {
        ref var item = ref content.Terms[term];
        _byNumber.Add(item.Field, item.Number, term);
    }

    /// <summary>An entry that the index does not have.</summary>
    public void Add(in EntryWork work)
    {
        EntriesAdded++;
        ref var entry = ref content.Entries[work.Entry];
        foreach (ref readonly var field in content.EntryFields.Slice(entry.FirstField, entry.Fields))
            AddField(work.Id, field);
    }

    /// <summary>An entry that the index has, with its record.</summary>
    public void Compare(PageTransaction transaction, in EntryWork work, ReadOnlySpan<byte> record)
    {
        var old = new EntryRecord(record);
        Span<PendingField> added = default;
        if (work.Entry >= 0)
        {
            ref var entry = ref content.Entries[work.Entry];
            added = content.EntryFields.Slice(entry.FirstField, entry.Fields);
        }
        else
        {
            EntriesAdded--;
        }
        while (old.NextField())
        {
            while (!added.IsEmpty && added[0].Field < old.Field)
            {
                AddField(work.Id, added[0]);
                added = added[1..];
            }
            bool stays = !added.IsEmpty && added[0].Field == old.Field;
            if (stays && added[0].Hash != 0 && added[0].Hash == old.PositionsHash)
            {
                added = added[1..];
                continue;
            }
            var field = fields[old.Field];
            uint oldLength = ReadOld(transaction, field, ref old);
            if (stays)
                CompareField(work.Id, field, added[0], oldLength);
            else
                RemoveField(work.Id, field, oldLength);
            added = stays ? added[1..] : added;
        }
        foreach (ref readonly var field in added)
            AddField(work.Id, field);
    }

    public void Empty(long keptBytes)
    {
        _changes.Empty(keptBytes);
        _cells.Empty(keptBytes);
        _lengths.Empty(keptBytes);
        _old.Empty(keptBytes);
        _byNumber.Empty(keptBytes);
        EntriesAdded = 0;
    }

    public void Dispose()
    {
        _changes.Dispose();
        _cells.Dispose();
        _lengths.Dispose();
        _old.Dispose();
        _byNumber.Dispose();
    }

    private void AddField(long entry, in PendingField added)
    {
        var field = fields[added.Field];
        field.Record.EntryCount++;
        field.Record.TotalLength += added.Length;
        foreach (ref readonly var posting in content.Postings.Slice(added.FirstPosting, added.Postings))
            Change(entry, posting.Term, posting.Frequency, posting.PositionsAt, added.Length);
        NoteValues(entry, field, added);
        if (added.Length != 0)
            NoteLength(entry, field, added.Length);
    }

    private void RemoveField(long entry, FieldChange field, uint oldLength)
    {
        field.Record.EntryCount--;
        field.Record.TotalLength -= oldLength;
        foreach (ref readonly var term in _old.Span)
            Change(entry, term.Term, 0, 0, 0);
        if (field.Known.Options.IsSortable)
            NoteCell(field, new PendingCell { Entry = entry, Term = -1 });
        if (oldLength != 0)
            NoteLength(entry, field, 0);
    }

    private void CompareField(long entry, FieldChange field, in PendingField added, uint oldLength)
    {
        // Positions differ somewhere: which ones, only the postings know. And a shorter text may be below the bounds of its blocks.
        bool changesAll = field.Known.Options.KeepsPositions || added.Length < oldLength;
        bool hasOthers = false;
        var old = Sorted(_old.Span);
        var postings = Sorted(content.Postings.Slice(added.FirstPosting, added.Postings));
        while (!old.IsEmpty || !postings.IsEmpty)
        {
            int side =
                old.IsEmpty ? 1
                : postings.IsEmpty ? -1
                : old[0].Term.CompareTo(postings[0].Term);
            hasOthers |= side != 0;
            if (side < 0)
                Change(entry, old[0].Term, 0, 0, 0);
            else if (side > 0 || postings[0].Frequency != old[0].Frequency || changesAll && IsText(postings[0].Term))
                Change(entry, postings[0].Term, postings[0].Frequency, postings[0].PositionsAt, added.Length);
            old = side <= 0 ? old[1..] : old;
            postings = side >= 0 ? postings[1..] : postings;
        }
        field.Record.TotalLength += (long)added.Length - oldLength;
        if (hasOthers)
            NoteValues(entry, field, added);
        if (added.Length != oldLength)
            NoteLength(entry, field, added.Length);
    }

    private bool IsText(int term) => content.Terms[term].Kind == TermKind.Text;

    private void Change(long entry, int term, uint frequency, int positionsAt, uint length)
    {
        ref var item = ref content.Terms[term];
        item.Changes++;
        _changes.Add(
            new TermChange
            {
                Entry = entry,
                Term = term,
                Frequency = frequency,
                PositionsAt = positionsAt,
                Length = item.Kind == TermKind.Text ? length : 0,
            }
        );
    }

    /// <summary>Lists the terms of the record's field; returns its length.</summary>
    private uint ReadOld(PageTransaction transaction, FieldChange field, ref EntryRecord record)
    {
        if (field.ExistsTerm < 0)
            field.ExistsTerm = content.Terms.Intern(field.Known.Id, TermKind.Mark, TextKey.Of(TermMark.Exists));
        _old.Truncate(0);
        _old.Add(new OldTerm { Term = field.ExistsTerm, Frequency = 1 });
        uint length = 0;
        while (record.NextTerm())
        {
            int term = record.Kind switch
            {
                TermKind.Text => TermOf(transaction, field.Known, record.TermNumber),
                TermKind.Number => content.Terms.Intern(field.Known.Id, TermKind.Number, record.NumberKey),
                _ => content.Terms.Intern(field.Known.Id, TermKind.Mark, TextKey.Of(record.Mark)),
            };
            _old.Add(new OldTerm { Term = term, Frequency = record.Frequency });
            length += field.Known.Options.KeepsFrequencies && record.Kind == TermKind.Text ? record.Frequency : 0;
        }
        return length;
    }

    private int TermOf(PageTransaction transaction, KnownField field, uint number)
    {
        int term = _byNumber.Find(field.Id, number);
        if (term >= 0)
            return term;
        Span<byte> numberKey = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(numberKey, number);
        bool isThere = transaction.Catalog.OpenTree(field.TermNamesName).TryGet(numberKey, out var key);
        Invariant.Require(isThere, "an entry refers to a term that its field does not have");
        term = content.Terms.Intern(field.Id, TermKind.Text, key);
        content.Terms[term].Number = number;
        _byNumber.Add(field.Id, number, term);
        return term;
    }

    /// <summary>Finds the smallest of the entry's values, and whether there are several.</summary>
    private void NoteValues(long entry, FieldChange field, in PendingField added)
    {
        int smallest = -1;
        foreach (ref readonly var posting in content.Postings.Slice(added.FirstPosting, added.Postings))
        {
            if (KindOf(posting.Term) != ColumnKind.Missing && (smallest < 0 || IsSmaller(posting.Term, smallest)))
                smallest = posting.Term;
        }
        bool hasSeveral = added.Postings > 2; // one is of the mark of existence
        field.Record.HasSeveralValues |= hasSeveral;
        if (!field.Known.Options.IsSortable)
            return;
        NoteCell(
            field,
            new PendingCell
            {
                Entry = entry,
                Term = smallest,
                HasSeveral = hasSeveral,
            }
        );
    }

    private bool IsSmaller(int term, int than)
    {
        var (kind, other) = (KindOf(term), KindOf(than));
        return kind != other ? kind < other : content.Terms.KeyOf(term).SequenceCompareTo(content.Terms.KeyOf(than)) < 0;
    }

    private ColumnKind KindOf(int term) => ColumnCells.KindOf(content.Terms[term].Kind, content.Terms.KeyOf(term));

    private void NoteCell(FieldChange field, PendingCell cell)
    {
        cell.Next = -1;
        if (field.LastCell >= 0)
            _cells[field.LastCell].Next = _cells.Count;
        else
            field.FirstCell = _cells.Count;
        field.LastCell = _cells.Count;
        _cells.Add(cell);
    }

    private void NoteLength(long entry, FieldChange field, uint length)
    {
        if (field.LastLength >= 0)
            _lengths[field.LastLength].Next = _lengths.Count;
        else
            field.FirstLength = _lengths.Count;
        field.LastLength = _lengths.Count;
        _lengths.Add(
            new PendingLength
            {
                Entry = entry,
                Length = length,
                Next = -1,
            }
        );
    }

    private static Span<OldTerm> Sorted(Span<OldTerm> terms)
    {
        for (int i = 1; i < terms.Length; i++)
        {
            if (terms[i - 1].Term <= terms[i].Term)
                continue;
            terms.Sort(static (a, b) => a.Term.CompareTo(b.Term));
            break;
        }
        return terms;
    }

    private static Span<PendingPosting> Sorted(Span<PendingPosting> postings)
    {
        for (int i = 1; i < postings.Length; i++)
        {
            if (postings[i - 1].Term <= postings[i].Term)
                continue;
            postings.Sort(static (a, b) => a.Term.CompareTo(b.Term));
            break;
        }
        return postings;
    }
}
