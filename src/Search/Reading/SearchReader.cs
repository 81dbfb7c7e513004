using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Entries;
using Jackdaw.Search.Fields;
using Jackdaw.Storage;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Reading;

/// <summary>An index at one moment. Of one thread.</summary>
public sealed partial class SearchReader : IDisposable
{
    private readonly ReadTransaction _transaction;
    private readonly EndedReaders _ended;
    private bool _hasEnded;
    private List<SearchField>? _fields;
    private Dictionary<string, SearchField>? _byName;

    internal SearchReader(ReadTransaction transaction, EndedReaders ended)
    {
        _transaction = transaction;
        _ended = ended;
    }

    /// <summary>The commit that it sees.</summary>
    public long TransactionId => _transaction.Id;

    /// <summary>Entries in the index.</summary>
    public long EntryCount => IndexMeta.ReadEntries(_transaction.Catalog.OpenTree(StructureNames.Meta)).Count;

    /// <summary>The fields, by name.</summary>
    public IReadOnlyList<SearchField> Fields => _fields ??= ReadFields();

    internal ReadTransaction Transaction => _transaction;

    /// <summary>The highest id of an entry that was ever handed out.</summary>
    internal long HighestEntry => IndexMeta.ReadEntries(_transaction.Catalog.OpenTree(StructureNames.Meta)).HighestId;

    /// <summary>A value of the owner (<see cref="EntryBatch.SetState"/>), copied; null: none.</summary>
    public byte[]? State(string name) =>
        _transaction.Catalog.OpenTree(StructureNames.Meta).TryGet(IndexMeta.StateKey(name), out var value) ? value.ToArray() : null;

    /// <summary>The source key of an entry; empty for one without. False: there is no such entry. The span lives as long as the
    /// reader.</summary>
    public bool TryGetSource(long entry, out ReadOnlySpan<byte> sourceKey)
    {
        sourceKey = default;
        if (!TryGetRecord(entry, out var record))
            return false;
        sourceKey = new EntryRecord(record).SourceKey;
        return true;
    }

    /// <summary>The source keys of up to <see cref="BTree.MaxTogether"/> entries, as <see cref="TryGetSource"/> gives them: looked up
    /// together, which takes much less time in a large index. No bytes: there is no such entry, or it has no source.</summary>
    [SkipLocalsInit]
    public void GetSources(ReadOnlySpan<long> entries, Span<PageBytes> sourceKeys)
    {
        Invariant.Require(entries.Length <= BTree.MaxTogether);
        Span<byte> keys = stackalloc byte[BTree.MaxTogether * sizeof(long)];
        Span<PageBytes> lookUp = stackalloc PageBytes[BTree.MaxTogether];
        for (int i = 0; i < entries.Length; i++)
        {
            var key = keys.Slice(i * sizeof(long), sizeof(long));
            BinaryPrimitives.WriteInt64BigEndian(key, entries[i]);
            lookUp[i] = PageBytes.Of(key);
        }
        _transaction.Catalog.OpenTree(StructureNames.Entries).TryGetTogether(lookUp[..entries.Length], sourceKeys);
        foreach (ref var record in sourceKeys)
            record = record.IsThere ? PageBytes.Of(new EntryRecord(record.Span).SourceKey) : default;
    }

    /// <summary>The entry's stored section; empty for one without, and where there is no such entry. The span lives as long as the
    /// reader.</summary>
    public ReadOnlySpan<byte> Stored(long entry) => TryGetRecord(entry, out var record) ? new EntryRecord(record).Stored : default;

    /// <summary>The terms of an entry, field by field, as people read them: what <c>debug=entries</c> shows. Empty where there is no such
    /// entry.</summary>
    public IReadOnlyList<KeyValuePair<string, IReadOnlyList<string>>> TermsOf(long entry)
    {
        var all = new List<KeyValuePair<string, IReadOnlyList<string>>>();
        if (!TryGetRecord(entry, out var bytes))
            return all;
        var record = new EntryRecord(bytes);
        var fields = Fields.ToDictionary(field => field.Id);
        while (record.NextField())
        {
            var terms = new List<string>(record.Terms);
            while (record.NextTerm())
                terms.Add(TextOf(record));
            all.Add(new(fields[record.Field].Name, terms));
        }
        all.Sort(static (a, b) => string.CompareOrdinal(a.Key, b.Key));
        return all;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        // Once: the transaction may be another reader's already.
        if (_hasEnded)
            return;
        _hasEnded = true;
        _ended.End(_transaction);
    }

    /// <summary>The field of that name.</summary>
    internal bool TryGetField(string name, [NotNullWhen(true)] out SearchField? field)
    {
        _byName ??= Fields.ToDictionary(known => known.Name, StringComparer.Ordinal);
        return _byName.TryGetValue(name, out field);
    }

    private bool TryGetRecord(long entry, out ReadOnlySpan<byte> record)
    {
        Span<byte> key = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(key, entry);
        return _transaction.Catalog.OpenTree(StructureNames.Entries).TryGet(key, out record);
    }

    private string TextOf(in EntryRecord record)
    {
        switch (record.Kind)
        {
            case TermKind.Number:
                return NumberKey.ToText(record.NumberKey);
            case TermKind.Mark:
                return record.Mark == TermMark.Null ? "NULL_VALUE" : "EMPTY_ARRAY";
        }
        Span<byte> number = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(number, record.TermNumber);
        bool found = _transaction.Catalog.OpenTree(StructureNames.TermNames(record.Field)).TryGet(number, out var key);
        Invariant.Require(found, "an entry refers to a term that its field does not have");
        return Encoding.UTF8.GetString(TextKey.TermOf(key)) + (TextKey.IsCut(key) ? "…" : "");
    }

    private List<SearchField> ReadFields()
    {
        var fields = new List<SearchField>();
        using var cursor = _transaction.Catalog.OpenTree(StructureNames.Fields).OpenCursor();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
        {
            var record = FieldRecord.Read(cursor.Value);
            fields.Add(
                new SearchField(
                    Encoding.UTF8.GetString(cursor.Key),
                    record.Id,
                    record.Options,
                    record.HasSeveralValues,
                    record.EntryCount,
                    record.TotalLength
                )
            );
        }
        return fields;
    }
}
