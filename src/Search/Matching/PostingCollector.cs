using System.Buffers;
using Jackdaw.Search.Postings;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Matching;

/// <summary>Sets the bits of many terms' entries, a block of ids at a time whatever the sizes of the terms.</summary>
internal ref struct PostingCollector(QueryRun run, EntryBitmap bitmap)
{
    private readonly long[] _ids = ArrayPool<long>.Shared.Rent(Match.BlockIds + TermRecord.MaxSmallBytes);
    private PostingReader? _reader;
    private int _filled;

    /// <summary>Adds the entries of a term.</summary>
    public void Add(BTree dictionary, ReadOnlySpan<byte> value)
    {
        var record = new TermRecord(value);
        if (record.Form == PostingForm.Large)
        {
            AddLarge(dictionary, value);
            return;
        }
        if (record.Form == PostingForm.Single)
        {
            int at = 0;
            _ids[_filled++] = (long)VarInt.Read(record.Payload, ref at);
        }
        else
        {
            _filled += SmallPostings.ReadIds(record, _ids.AsSpan(_filled));
        }
        if (_filled >= Match.BlockIds)
            Flush();
    }

    /// <summary>Sets the bits of what was added last.</summary>
    public void End()
    {
        Flush();
        ArrayPool<long>.Shared.Return(_ids);
        if (_reader is not null)
            run.Return(_reader);
    }

    private void AddLarge(BTree dictionary, ReadOnlySpan<byte> value)
    {
        Flush();
        _reader ??= run.Rent();
        _reader.Open(dictionary, value);
        for (int filled; (filled = _reader.Fill(_ids)) > 0; run.Check())
            bitmap.Add(_ids.AsSpan(0, filled));
    }

    private void Flush()
    {
        run.Check();
        bitmap.Add(_ids.AsSpan(0, _filled));
        _filled = 0;
    }
}
