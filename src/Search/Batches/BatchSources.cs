using System.Buffers.Binary;
using Jackdaw.Search.Entries;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Search.Batches;

/// <summary>Which entries the sources of a batch have and get, and what becomes of each.</summary>
internal sealed class BatchSources(BatchContent content, NativeArena arena) : IDisposable
{
    private readonly NativeList<ulong> _heads = new(arena);
    private readonly NativeList<int> _order = new(arena);
    private readonly NativeList<long> _oldIds = new(arena);
    private readonly NativeList<long> _newIds = new(arena);
    private readonly NativeList<EntryWork> _work = new(arena);
    private readonly NativeList<byte> _record = new(arena);

    /// <summary>In ascending order of entry ids.</summary>
    public ReadOnlySpan<EntryWork> Work => _work.Span;

    /// <summary>Some source had entries before.</summary>
    public bool HasOld => _oldIds.Count > 0;

    /// <summary>Finds the sources' entries in one pass, and gives ids to the new ones behind <paramref name="highestId"/>.</summary>
    public void Resolve(PageTransaction transaction, ref long highestId)
    {
        SortSources();
        var tree = transaction.Catalog.OpenTree(StructureNames.Sources);
        foreach (int index in _order.Span)
        {
            ref var source = ref content.Sources[index];
            source.FirstOldId = _oldIds.Count;
            source.OldIds = 0;
            if (!source.IsReplaced && tree.TryGet(KeyOf(source), out var stored))
                source.OldIds = SourceRecord.Read(stored, _oldIds);
        }
        var sources = content.Sources.Span;
        for (int i = 0; i < sources.Length; i++)
        {
            if (!sources[i].IsReplaced)
                Assign(ref sources[i], i, ref highestId);
        }
        // New ids ascend as the sources came; old ones lie anywhere.
        if (HasOld)
            _work.Span.Sort(static (a, b) => a.Id.CompareTo(b.Id));
    }

    public ReadOnlySpan<byte> KeyOf(in PendingSource source) => content.Bytes.Slice(source.KeyAt, source.KeyBytes);

    /// <summary>Writes the sources whose ids have changed, in the order of their keys.</summary>
    public void Write(WriteTransaction transaction)
    {
        var tree = transaction.Catalog.OpenTree(StructureNames.Sources);
        foreach (int index in _order.Span)
        {
            ref var source = ref content.Sources[index];
            if (source.IsReplaced)
                continue;
            var ids = _newIds.Slice(source.FirstNewId, source.Entries);
            if (ids.SequenceEqual(_oldIds.Slice(source.FirstOldId, source.OldIds)))
                continue;
            if (ids.IsEmpty)
            {
                tree.Delete(KeyOf(source));
                continue;
            }
            _record.Truncate(0);
            SourceRecord.Write(ids, _record);
            tree.Put(KeyOf(source), _record.Span);
        }
    }

    public void Empty(long keptBytes)
    {
        _heads.Empty(keptBytes);
        _order.Empty(keptBytes);
        _oldIds.Empty(keptBytes);
        _newIds.Empty(keptBytes);
        _work.Empty(keptBytes);
        _record.Empty(keptBytes);
    }

    public void Dispose()
    {
        _heads.Dispose();
        _order.Dispose();
        _oldIds.Dispose();
        _newIds.Dispose();
        _work.Dispose();
        _record.Dispose();
    }

    /// <summary>Brings the sources into the order of their keys; of those with one key all but the last are replaced.</summary>
    private void SortSources()
    {
        var order = _order.Reset(content.Sources.Count);
        var heads = _heads.Reset(order.Length);
        int shared = SharedPrefix();
        for (int i = 0; i < order.Length; i++)
        {
            order[i] = i;
            heads[i] = TermSorter.Head(KeyOf(content.Sources[i]), shared);
        }
        heads.Sort(order);
        for (int start = 0; start < order.Length; )
        {
            int end = TermSorter.EndOfRun(heads, start);
            if (end - start > 1)
                order[start..end].Sort(Compare);
            start = end;
        }
        for (int i = 0; i + 1 < order.Length; i++)
        {
            ref var source = ref content.Sources[order[i]];
            source.IsReplaced = KeyOf(source).SequenceEqual(KeyOf(content.Sources[order[i + 1]]));
        }
    }

    /// <summary>Bytes that all keys begin with: often a collection's name.</summary>
    private int SharedPrefix()
    {
        var sources = content.Sources.Span;
        int shared = sources.IsEmpty ? 0 : sources[0].KeyBytes;
        foreach (ref readonly var source in sources)
            shared = Math.Min(shared, KeyOf(source).CommonPrefixLength(KeyOf(sources[0])));
        return shared;
    }

    private int Compare(int a, int b)
    {
        int byKey = KeyOf(content.Sources[a]).SequenceCompareTo(KeyOf(content.Sources[b]));
        return byKey != 0 ? byKey : a.CompareTo(b);
    }

    private void Assign(ref PendingSource source, int index, ref long highestId)
    {
        source.FirstNewId = _newIds.Count;
        for (int i = 0; i < Math.Max(source.Entries, source.OldIds); i++)
        {
            bool isThere = i < source.OldIds;
            bool stays = i < source.Entries;
            long id = isThere ? _oldIds[source.FirstOldId + i] : ++highestId;
            if (stays)
                _newIds.Add(id);
            _work.Add(
                new EntryWork
                {
                    Id = id,
                    Entry = stays ? source.FirstEntry + i : -1,
                    Source = index,
                    IsThere = isThere,
                }
            );
        }
    }
}
