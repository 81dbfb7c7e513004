using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Jackdaw.Search.Columns;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Postings;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Batches;

/// <summary>Applies the changes of postings in the order of their terms: each term's record is written once.</summary>
internal sealed class PostingWriter(BatchContent content, BatchFields fields, NativeArena arena) : IDisposable
{
    private readonly TermSorter _sorter = new(content, arena);
    private readonly NativeList<int> _order = new(arena);
    private readonly NativeList<PostingChange> _ofTerm = new(arena);
    private readonly TermPostings _postings = new();

    /// <summary>Finds the numbers of the terms that are marked as used.</summary>
    public void LookUpNumbers(PageTransaction transaction, Action<int> found)
    {
        _sorter.Begin();
        var terms = content.Terms.All;
        for (int i = 0; i < terms.Length; i++)
        {
            if (terms[i].IsUsed)
                _sorter.Add(i);
        }
        _sorter.Sort();
        BTree? dictionary = null;
        int field = -1;
        foreach (int number in _sorter.Sorted)
        {
            ref var term = ref content.Terms[number];
            if (term.Field != field)
                dictionary = transaction.Catalog.OpenTree(fields[term.Field].Known.TextsName, TermRecord.TreeOptions);
            field = term.Field;
            if (!dictionary!.TryGet(content.Terms.KeyOf(number), out var record))
                continue;
            term.Number = new TermRecord(record).TermNumber;
            found(number);
        }
    }

    public void Apply(WriteTransaction transaction, NativeList<TermChange> changes)
    {
        SortChanges(changes);
        var terms = _sorter.Sorted;
        for (int start = 0; start < terms.Length; )
        {
            ref var first = ref content.Terms[terms[start]];
            int end = start + 1;
            while (end < terms.Length && IsOfSameTree(content.Terms[terms[end]], first))
                end++;
            ApplyToTree(transaction, changes, terms[start..end], fields[first.Field], first.Kind == TermKind.Number);
            start = end;
        }
    }

    public void Empty(long keptBytes)
    {
        _sorter.Empty(keptBytes);
        _order.Empty(keptBytes);
        _ofTerm.Empty(keptBytes);
    }

    public void Dispose()
    {
        _sorter.Dispose();
        _order.Dispose();
        _ofTerm.Dispose();
    }

    private static bool IsOfSameTree(in BatchTerm term, in BatchTerm other) =>
        term.Field == other.Field && (term.Kind == TermKind.Number) == (other.Kind == TermKind.Number);

    /// <summary>Lists the changes by term. Those of one term came in the order of entries and stay in it.</summary>
    private void SortChanges(NativeList<TermChange> changes)
    {
        _sorter.Begin();
        var terms = content.Terms.All;
        for (int i = 0; i < terms.Length; i++)
        {
            if (terms[i].Changes > 0)
                _sorter.Add(i);
        }
        _sorter.Sort();
        int next = 0;
        foreach (int term in _sorter.Sorted)
        {
            terms[term].NextChange = next;
            next += terms[term].Changes;
        }
        var order = _order.Reset(changes.Count);
        var all = changes.Span;
        for (int i = 0; i < all.Length; i++)
            order[terms[all[i].Term].NextChange++] = i;
    }

    private void ApplyToTree(
        WriteTransaction transaction,
        NativeList<TermChange> changes,
        ReadOnlySpan<int> terms,
        FieldChange field,
        bool isNumbers
    )
    {
        var known = field.Known;
        var dictionary = transaction.Catalog.OpenTree(isNumbers ? known.NumbersName : known.TextsName, TermRecord.TreeOptions);
        var names = isNumbers ? null : transaction.Catalog.OpenTree(known.TermNamesName);
        var lengths = known.Options.KeepsFrequencies && !isNumbers ? new StoredLengths(transaction, known) : null;
        Span<PageBytes> found = stackalloc PageBytes[BTree.MaxTogether];
        for (int i = 0; i < terms.Length; i++)
        {
            int inGroup = i % BTree.MaxTogether;
            if (inGroup == 0)
                LookUp(dictionary, terms[i..Math.Min(i + BTree.MaxTogether, terms.Length)], found);
            int number = terms[i];
            ref var term = ref content.Terms[number];
            bool isText = term.Kind == TermKind.Text;
            if (field.Record.NextTermNumber >= TextKey.FirstMarkNumber)
                throw new LimitExceededException(
                    "The number of terms that a field has ever had",
                    field.Record.NextTermNumber,
                    TextKey.FirstMarkNumber - 1,
                    "fixed by the format: build the index again"
                );
            uint offered =
                term.Kind == TermKind.Mark ? TextKey.NumberOf(TextKey.MarkOf(content.Terms.KeyOf(number))) : field.Record.NextTermNumber;
            var outcome = _postings.Apply(
                dictionary,
                content.Terms.KeyOf(number),
                isText ? known.TextPostings : PostingOptions.None,
                offered,
                ChangesOf(term, changes),
                content.Positions.Span,
                isText ? lengths : null,
                isNumbered: !isNumbers,
                isAbsent: !found[inGroup].IsThere
            );
            if (outcome.TermNumber == field.Record.NextTermNumber)
                field.Record.NextTermNumber++;
            if (isText)
                NoteName(names!, ref term, outcome, content.Terms.KeyOf(number));
        }
    }

    /// <summary>Looks up some terms together before they are applied one by one: what is found moves as terms are applied, but a term that
    /// is not there does not come by itself.</summary>
    [SkipLocalsInit]
    private void LookUp(BTree dictionary, ReadOnlySpan<int> terms, Span<PageBytes> found)
    {
        Span<PageBytes> keys = stackalloc PageBytes[BTree.MaxTogether];
        for (int i = 0; i < terms.Length; i++)
            keys[i] = PageBytes.Of(content.Terms.KeyOf(terms[i]));
        dictionary.TryGetTogether(keys[..terms.Length], found[..terms.Length]);
    }

    private static void NoteName(BTree names, ref BatchTerm term, in TermOutcome outcome, ReadOnlySpan<byte> key)
    {
        term.Number = outcome.TermNumber;
        if ((outcome.Before == 0) == (outcome.DocumentFrequency == 0))
            return;
        Span<byte> number = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(number, outcome.TermNumber);
        if (outcome.DocumentFrequency == 0)
            names.Delete(number);
        else
            names.Put(number, key);
    }

    private ReadOnlySpan<PostingChange> ChangesOf(in BatchTerm term, NativeList<TermChange> changes)
    {
        _ofTerm.Truncate(0);
        foreach (int index in _order.Slice(term.NextChange - term.Changes, term.Changes))
        {
            ref var change = ref changes[index];
            _ofTerm.Add(
                new PostingChange
                {
                    Entry = change.Entry,
                    Frequency = change.Frequency,
                    Length = change.Length,
                    PositionsAt = change.PositionsAt,
                }
            );
        }
        return _ofTerm.Span;
    }
}
