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

    public void Run()
    {
        CheckTree(field.Known.TextsName, isNumbers: false);
        CheckTree(field.Known.NumbersName, isNumbers: true);
        if (_texts != _names.EntryCount)
            findings.Add($"the field '{field.Known.Name}' has {_texts} texts and {_names.EntryCount} names of terms");
    }

    private void CheckTree(string name, bool isNumbers)
    {
        if (!transaction.Catalog.Contains(name))
            return;
        var tree = transaction.Catalog.OpenTree(name);
        if (tree.Options != TermRecord.TreeOptions)
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
    }

    private string? CheckTerm(BTree tree, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, bool isNumbers)
    {
        if ((isNumbers ? NumberKey.ProblemOf(key) : TextKey.ProblemOf(key)) is { } problem)
            return problem;
        var record = new TermRecord(value);
        bool isText = !isNumbers && !TextKey.IsMark(key);
        if (isText ? NameProblem(record.TermNumber, key) is { } nameProblem : record.TermNumber != 0)
            return isText ? NameProblem(record.TermNumber, key) : $"has the number {record.TermNumber}";
        _texts += isText ? 1 : 0;
        ulong identity =
            isText ? TermIdentity.OfText(record.TermNumber)
            : isNumbers ? TermIdentity.OfNumber(key)
            : TermIdentity.OfMark(TextKey.MarkOf(key));
        AddPostings(tree, value, identity);
        return PostingCheck.ProblemOf(tree, value, isText ? field.Known.TextPostings : PostingOptions.None, isText ? _lengths : null);
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
