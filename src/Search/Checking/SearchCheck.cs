using System.Buffers.Binary;
using System.Text;
using Jackdaw.Search.Batches;
using Jackdaw.Search.Entries;
using Jackdaw.Search.Fields;
using Jackdaw.Search.Postings;
using Jackdaw.Search.Reading;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Checking;

/// <summary>
/// Finds broken rules of an index: docs/search-format.md, "Invariants". The pages are Storage's to check, before. Reads everything once;
/// its memory does not grow with the index.
/// </summary>
public sealed class SearchCheck
{
    private readonly SearchReader _reader;
    private readonly CheckFindings _findings;
    private readonly SortedDictionary<ushort, FieldTally> _fields = [];
    private readonly CancellationToken _cancellation;

    private SearchCheck(SearchReader reader, int atMost, CancellationToken cancellation)
    {
        _reader = reader;
        _findings = new CheckFindings(atMost);
        _cancellation = cancellation;
    }

    /// <summary>Returns what is wrong, nothing where all is well. Errors: <see cref="OperationCanceledException"/>.</summary>
    /// <param name="reader">At the moment to check.</param>
    /// <param name="atMost">Findings after which the check ends.</param>
    /// <param name="cancellation">Ends the check.</param>
    public static IReadOnlyList<string> Run(SearchReader reader, int atMost = 100, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(reader);
        var check = new SearchCheck(reader, atMost, cancellation);
        check._findings.Try("the index", check.Run);
        return check._findings.All;
    }

    private void Run()
    {
        LoadFields();
        CheckStructures();
        foreach (var field in _fields.Values)
            new DictionaryCheck(_reader.Transaction, field, _findings, _cancellation).Run();
        long withSource = CheckEntries();
        CheckSources(withSource);
        foreach (var field in _fields.Values)
            Compare(field);
    }

    private BTree Tree(string name) => _reader.Transaction.Catalog.OpenTree(name);

    private void LoadFields()
    {
        using var cursor = Tree(StructureNames.Fields).OpenCursor();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
        {
            string name = Encoding.UTF8.GetString(cursor.Key);
            var record = FieldRecord.Read(cursor.Value);
            if (!_fields.TryAdd(record.Id, new FieldTally(new KnownField(name, record.Id, record.Options), record)))
                _findings.Add($"the field '{name}' has the id {record.Id} of another one");
        }
    }

    /// <summary>No structure is there without its owner.</summary>
    private void CheckStructures()
    {
        var known = new HashSet<string>(StringComparer.Ordinal)
        {
            StructureNames.Meta,
            StructureNames.Fields,
            StructureNames.Sources,
            StructureNames.Entries,
        };
        foreach (var field in _fields.Values)
            known.UnionWith([
                field.Known.TextsName,
                field.Known.NumbersName,
                field.Known.TermNamesName,
                field.Known.ColumnName,
                field.Known.LengthsName,
                BlockTree.BlocksName(field.Known.TextsName),
                BlockTree.PositionsName(field.Known.TextsName),
                BlockTree.BlocksName(field.Known.NumbersName),
            ]);
        foreach (var (name, _) in _reader.Transaction.Catalog.Entries())
        {
            if (!known.Contains(name))
                _findings.Add($"the structure '{name}' belongs to no field");
        }
    }

    /// <summary>Returns how many entries have a source.</summary>
    private long CheckEntries()
    {
        var (count, highestId) = IndexMeta.ReadEntries(Tree(StructureNames.Meta));
        var tree = Tree(StructureNames.Entries);
        if (tree.EntryCount != count)
            _findings.Add($"the index states {count} entries and has {tree.EntryCount}");
        long withSource = 0;
        using var cursor = tree.OpenCursor();
        var check = new EntryCheck(_reader.Transaction, _fields, _findings);
        for (bool any = cursor.SeekFirst(); any && !_findings.IsFull; any = cursor.MoveNext())
        {
            _cancellation.ThrowIfCancellationRequested();
            if (cursor.Key.Length != sizeof(long))
            {
                _findings.Add($"an entry's key is {Convert.ToHexString(cursor.Key)}");
                continue;
            }
            long id = BinaryPrimitives.ReadInt64BigEndian(cursor.Key);
            if (id <= 0 || id > highestId)
                _findings.Add($"entry {id} is beyond the highest id that was handed out, {highestId}");
            _findings.Try($"entry {id}", () => withSource += check.Run(id, cursor.Value) ? 1 : 0);
        }
        return withSource;
    }

    private void CheckSources(long entriesWithSource)
    {
        using var arena = new NativeArena("check of an index");
        using var ids = new NativeList<long>(arena);
        using var cursor = Tree(StructureNames.Sources).OpenCursor();
        long referred = 0;
        for (bool any = cursor.SeekFirst(); any && !_findings.IsFull; any = cursor.MoveNext())
        {
            _cancellation.ThrowIfCancellationRequested();
            string name = Encoding.UTF8.GetString(cursor.Key);
            _findings.Try(
                $"the source '{name}'",
                () =>
                {
                    ids.Truncate(0);
                    referred += SourceRecord.Read(cursor.Value, ids);
                    CheckSource(name, cursor.Key, ids.Span);
                }
            );
        }
        if (referred != entriesWithSource)
            _findings.Add($"sources refer to {referred} entries; {entriesWithSource} entries have a source");
    }

    private void CheckSource(string name, ReadOnlySpan<byte> key, ReadOnlySpan<long> ids)
    {
        if (ids.IsEmpty)
            _findings.Add($"the source '{name}' has no entry");
        long before = 0;
        foreach (long id in ids)
        {
            if (id <= before)
                _findings.Add($"the source '{name}' has entry {id} behind {before}");
            before = id;
            if (!_reader.TryGetSource(id, out var source))
                _findings.Add($"the source '{name}' refers to entry {id}, which is not there");
            else if (!source.SequenceEqual(key))
                _findings.Add($"the source '{name}' refers to entry {id}, which names another source");
        }
    }

    private void Compare(FieldTally field)
    {
        var record = field.Record;
        string name = $"the field '{field.Known.Name}'";
        if (record.EntryCount != field.Entries)
            _findings.Add($"{name} states {record.EntryCount} entries; {field.Entries} have it");
        if (record.TotalLength != field.TotalLength)
            _findings.Add($"{name} states a length of {record.TotalLength} in all, and has {field.TotalLength}");
        if (!record.HasSeveralValues && field.EntriesWithSeveral > 0)
            _findings.Add($"{name} was not seen with several values, and {field.EntriesWithSeveral} entries have some");
        if (field.OfEntries.Count != field.OfPostings.Count || field.OfEntries.Sum != field.OfPostings.Sum)
            _findings.Add(
                $"{name}: entries refer to {field.OfEntries.Count} terms, and there are {field.OfPostings.Count} postings"
                    + (field.OfEntries.Count == field.OfPostings.Count ? ", not of the same terms, entries and frequencies" : "")
            );
        var columns = new ColumnCount(_reader.Transaction, field.Known);
        _findings.Try($"{name}: its column", () => CompareCount(name, "cells", columns.Cells(), field.EntriesWithCell));
        _findings.Try($"{name}: its lengths", () => CompareCount(name, "lengths", columns.Lengths(), field.EntriesWithLength));
    }

    private void CompareCount(string name, string what, long found, long expected)
    {
        if (found != expected)
            _findings.Add($"{name} has {found} {what}; {expected} entries have one");
    }
}
