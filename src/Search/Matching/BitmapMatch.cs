namespace Jackdaw.Search.Matching;

/// <summary>Entries that are collected as bits when they are first asked for.</summary>
internal abstract class BitmapMatch(QueryRun run) : Match
{
    private EntryBitmap? _bitmap;
    private long _next;

    public sealed override long Count => _bitmap?.Count ?? Bound;

    public sealed override bool IsExact => _bitmap is not null || IsBoundExact;

    protected QueryRun Run => run;

    protected bool IsCollected => _bitmap is not null;

    /// <summary>Entries at most, without collecting them.</summary>
    protected abstract long Bound { get; }

    protected abstract bool IsBoundExact { get; }

    public override int Fill(Span<long> ids)
    {
        run.Check();
        return Collected().Fill(ref _next, ids);
    }

    public override void SeekTo(long id) => _next = Math.Max(_next, id);

    public override void Rewind() => _next = 0;

    public override int Retain(Span<long> ids) => Collected().Filter(ids, isIn: true);

    public override int Exclude(Span<long> ids) => Collected().Filter(ids, isIn: false);

    public override void Dispose() => _bitmap?.Dispose();

    /// <summary>The entries.</summary>
    public EntryBitmap Collected()
    {
        if (_bitmap is not null)
            return _bitmap;
        var bitmap = new EntryBitmap(run.View.GreatestId);
        try
        {
            Collect(bitmap);
        }
        catch
        {
            bitmap.Dispose();
            throw;
        }
        return _bitmap = bitmap;
    }

    protected abstract void Collect(EntryBitmap bitmap);
}
