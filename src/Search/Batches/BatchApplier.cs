using System.Buffers.Binary;
using System.Text;
using Jackdaw.Search.Columns;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Entries;
using Jackdaw.Storage;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Batches;

/// <summary>Applies what a batch has collected. See docs/search-format.md, "Applying a batch".</summary>
internal sealed class BatchApplier : IDisposable
{
    private readonly BatchContent _content;
    private readonly Guid _instanceId;
    private readonly BatchSources _sources;
    private readonly BatchFields _fields;
    private readonly EntryDifferences _differences;
    private readonly PostingWriter _postings;
    private readonly EntryRecordWriter _records;

    public BatchApplier(BatchContent content, Guid instanceId, NativeArena arena)
    {
        _instanceId = instanceId;
        _content = content;
        _sources = new BatchSources(content, arena);
        _fields = new BatchFields(content.Fields);
        _differences = new EntryDifferences(content, _fields, arena);
        _postings = new PostingWriter(content, _fields, arena);
        _records = new EntryRecordWriter(content, arena);
    }

    public void Apply(WriteTransaction transaction)
    {
        var meta = transaction.Catalog.OpenTree(StructureNames.Meta);
        IndexMeta.CreateIfMissing(meta, _instanceId);
        var (entryCount, highestId) = IndexMeta.ReadEntries(meta);
        _fields.Begin(transaction);
        _sources.Resolve(transaction, ref highestId);
        var entries = transaction.Catalog.OpenTree(StructureNames.Entries);
        if (_sources.HasOld)
            LookUpTerms(transaction);
        FindDifferences(transaction, entries);
        _postings.Apply(transaction, _differences.Changes);
        WriteColumns(transaction);
        WriteEntries(entries);
        _sources.Write(transaction);
        _fields.Write();
        IndexMeta.WriteEntries(meta, entryCount + _differences.EntriesAdded, highestId);
        foreach (var (name, value) in _content.States)
            meta.Put(IndexMeta.StateKey(name), value);
    }

    public void Empty()
    {
        _sources.Empty(BatchContent.KeptBytes);
        _fields.Empty();
        _differences.Empty(BatchContent.KeptBytes);
        _postings.Empty(BatchContent.KeptBytes);
        _records.Empty(BatchContent.KeptBytes);
    }

    public void Dispose()
    {
        _sources.Dispose();
        _differences.Dispose();
        _postings.Dispose();
        _records.Dispose();
    }

    /// <summary>Finds the numbers of all texts of entries that the index has, to compare them with their records.</summary>
    private void LookUpTerms(WriteTransaction transaction)
    {
        foreach (ref readonly var work in _sources.Work)
        {
            if (!work.IsThere || work.Entry < 0)
                continue;
            ref var entry = ref _content.Entries[work.Entry];
            foreach (ref readonly var field in _content.EntryFields.Slice(entry.FirstField, entry.Fields))
            {
                foreach (ref readonly var posting in _content.Postings.Slice(field.FirstPosting, field.Postings))
                {
                    ref var term = ref _content.Terms[posting.Term];
                    term.IsUsed = term.Kind == TermKind.Text;
                }
            }
        }
        _postings.LookUpNumbers(transaction, _differences.Know);
    }

    private void FindDifferences(WriteTransaction transaction, BTree entries)
    {
        Span<byte> key = stackalloc byte[sizeof(long)];
        foreach (ref readonly var work in _sources.Work)
        {
            if (!work.IsThere)
            {
                _differences.Add(work);
                continue;
            }
            BinaryPrimitives.WriteInt64BigEndian(key, work.Id);
            bool found = entries.TryGet(key, out var record);
            Invariant.Require(found, "a source refers to an entry that is not there");
            _differences.Compare(transaction, work, record);
        }
    }

    private void WriteColumns(WriteTransaction transaction)
    {
        foreach (var field in _fields.Touched)
        {
            if (field.FirstCell >= 0)
            {
                var cells = new ChunkWriter<ColumnCell>(transaction.Catalog.OpenTree(field.Known.ColumnName), ColumnCell.InChunk);
                for (int at = field.FirstCell; at >= 0; at = _differences.Cells[at].Next)
                    cells.Write(_differences.Cells[at].Entry, CellOf(_differences.Cells[at]));
                cells.End();
            }
            if (field.FirstLength >= 0)
            {
                var lengths = new ChunkWriter<uint>(transaction.Catalog.OpenTree(field.Known.LengthsName), LengthChunk.Lengths);
                for (int at = field.FirstLength; at >= 0; at = _differences.Lengths[at].Next)
                    lengths.Write(_differences.Lengths[at].Entry, _differences.Lengths[at].Length);
                lengths.End();
            }
        }
    }

    private ColumnCell CellOf(in PendingCell pending)
    {
        if (pending.Term < 0)
            return default;
        ref var term = ref _content.Terms[pending.Term];
        return ColumnCells.Of(term.Kind, _content.Terms.KeyOf(pending.Term), term.Number, pending.HasSeveral);
    }

    private void WriteEntries(BTree entries)
    {
        Span<byte> key = stackalloc byte[sizeof(long)];
        foreach (ref readonly var work in _sources.Work)
        {
            BinaryPrimitives.WriteInt64BigEndian(key, work.Id);
            if (work.Entry < 0)
            {
                entries.Delete(key);
                continue;
            }
            var record = _records.Write(_content.Entries[work.Entry], _sources.KeyOf(_content.Sources[work.Source]));
            if (!work.IsThere || !entries.TryGet(key, out var stored) || !stored.SequenceEqual(record))
                entries.Put(key, record);
        }
    }
}
