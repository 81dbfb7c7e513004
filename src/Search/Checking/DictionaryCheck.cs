using System.Buffers.Binary;
using Jackdaw.Search.Columns;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Postings;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Checking;

/// <summary>Checks the terms of one field and their postings, and adds the postings up.</summary>
internal sealed class DictionaryCheck(PageTransaction transaction, FieldTally field, CheckFindings findings, CancellationToken cancellation)
{
    private readonly PostingBuffer _room = new();
    private readonly BTree _names = transaction.Catalog.OpenTree(field.Known.TermNamesName);
    private readonly StoredLengths? _lengths = field.Known.Options.KeepsFrequencies ? new StoredLengths(transaction, field.Known) : null;
    private long _texts;
    private long _blocks;
    private long _positionBlocks;

    public void Run()
    {
        CheckTree(field.Known.TextsName, isNumbers: false);
        CheckTree(field.Known.NumbersName, isNumbers: true);
        if (_texts != _names.EntryCount)
            findings.Add($"the field '{field.Known.Name}' has {_texts} texts and {_names.EntryCount} names of terms");
    }

    private void CheckTree(string name, bool isNumbers)
    {
        (_blocks, _positionBlocks) = (0, 0);
        var tree = transaction.Catalog.OpenTree(name);
        if (tree.EntryCount > 0 && tree.Options != TermRecord.TreeOptions)
        {
            findings.Add($"'{name}' was made with other options");
            return;
        }
        using var cursor = tree.OpenCursor();
        for (bool any = cursor.SeekFirst(); any && !findings.IsFull; any = cursor.MoveNext())
        {
            cancellation.ThrowIfCancellationRequested();
            string term = $"the term {Convert.ToHexString(cursor.Key)} of '{name}'";
            findings.Try(
                term,
                () =>
                {
                    if (CheckTerm(tree, cursor.Key, cursor.Value, isNumbers) is { } problem)
                        findings.Add($"{term}: {problem}");
                }
            );
        }
        CompareBlocks(BlockTree.BlocksName(name), _blocks);
        CompareBlocks(BlockTree.PositionsName(name), _positionBlocks);
    }

    /// <summary>Each block belongs to a term's set.</summary>
    private void CompareBlocks(string name, long expected)
    {
        long found = transaction.Catalog.OpenTree(name).EntryCount;
        if (found != expected)
            findings.Add($"'{name}' has {found} blocks; the sets of its terms have {expected}");
    }

    private string? CheckTerm(BTree tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, bool isNumbers)
    {
        if ((isNumbers ? NumberKey.ProblemOf(key) : TextKey.ProblemOf(key)) is { } problem)
            return problem;
        var record = new TermRecord(value);
        bool isText = !isNumbers && !TextKey.IsMark(key);
        if (NumberProblem(record, key, isNumbers, isText) is { } numberProblem)
            return numberProblem;
        _texts += isText ? 1 : 0;
        ulong identity =
            isText ? TermIdentity.OfText(record.TermNumber)
            : isNumbers ? TermIdentity.OfNumber(key)
            : TermIdentity.OfMark(TextKey.MarkOf(key));
        AddPostings(tree, value, identity);
        long blocks = PostingCheck.BlocksOf(tree, value);
        _blocks += blocks;
        _positionBlocks += isText && field.Known.Options.KeepsPositions ? blocks : 0;
        return PostingCheck.ProblemOf(tree, value, isText ? field.Known.TextPostings : PostingOptions.None, isText ? _lengths : null);
    }

    private string? NumberProblem(TermRecord record, ReadOnlySpan<byte> key, bool isNumbers, bool isText)
    {
        uint number = record.TermNumber;
        if (isText)
            return NameProblem(number, key);
        bool isSound = isNumbers
            ? (number != 0) == (record.Form == PostingForm.Large) && number < field.Record.NextTermNumber
            : number == TextKey.NumberOf(TextKey.MarkOf(key));
        return isSound ? null : $"has the number {number}";
    }

    private string? NameProblem(uint number, ReadOnlySpan<byte> key)
    {
        if (number == 0 || number >= field.Record.NextTermNumber)
            return $"has the number {number}; the next is {field.Record.NextTermNumber}";
        Span<byte> numberKey = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(numberKey, number);
        return _names.TryGet(numberKey, out var name) && name.SequenceEqual(key)
            ? null
            : $"has the number {number}, which names another term";
    }

    private void AddPostings(BTree tree, ReadOnlySpan<byte> value, ulong identity)
    {
        using var walk = new PostingWalk(tree, value);
        while (walk.Next(_room) is { } postings)
        {
            for (int i = 0; i < postings.Count; i++)
                field.OfPostings.Add(identity, postings.Ids[i], postings.Frequencies[i]);
        }
    }
}
