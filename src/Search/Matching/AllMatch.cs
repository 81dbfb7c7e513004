using System.Buffers.Binary;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Matching;

/// <summary>Every entry.</summary>
internal sealed class AllMatch(QueryRun run) : Match
{
    private BTreeCursor? _cursor;
    private long _next = 1;
    private bool _isPlaced;

    public override long Count => run.View.EntryCount;

    public override bool IsExact => true;

    /// <summary>No id handed out is gone: nothing is to be read.</summary>
    private bool IsDense => run.View.EntryCount == run.View.GreatestId;

    public override int Fill(Span<long> ids)
    {
        run.Check();
        if (!IsDense)
            return Walk(ids);
        int filled = (int)Math.Min(ids.Length, run.View.GreatestId + 1 - _next);
        for (int i = 0; i < filled; i++)
            ids[i] = _next + i;
        _next += filled;
        return filled;
    }

    public override void SeekTo(long id)
    {
        if (id <= _next)
            return;
        _next = Math.Min(id, run.View.GreatestId + 1);
        _isPlaced = false;
    }

    public override void Rewind()
    {
        _next = 1;
        _isPlaced = false;
    }

    public override int Retain(Span<long> ids) => ids.Length;

    public override int Exclude(Span<long> ids) => 0;

    public override void Describe(MatchDescription description) => description.Add("all entries", this);

    public override void Dispose() => _cursor?.Dispose();

    private int Walk(Span<long> ids)
    {
        if (_next > run.View.GreatestId)
            return 0;
        _cursor ??= run.View.Entries.OpenCursor();
        if (!_isPlaced)
        {
            Span<byte> key = stackalloc byte[sizeof(long)];
            BinaryPrimitives.WriteInt64BigEndian(key, _next);
            if (!_cursor.Seek(key))
                return 0;
            _isPlaced = true;
        }
        int filled = 0;
        bool any = true;
        for (; any && filled < ids.Length; any = _cursor.MoveNext())
            ids[filled++] = BinaryPrimitives.ReadInt64BigEndian(_cursor.Key);
        _next = any ? ids[filled - 1] + 1 : run.View.GreatestId + 1;
        return filled;
    }
}
