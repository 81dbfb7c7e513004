using System.Buffers;
using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text.Json;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Queries;

namespace Jackdaw.Indexing.Running;

/// <summary>
/// Rows that are chosen document by document: those that fit a filter, and those that look like no earlier one. They are gathered first,
/// over as many moments as it takes, because an answer begins with their number. What is kept of each is its id.
/// </summary>
internal sealed class GatheredRows : IQueryRows, IDisposable
{
    /// <summary>What the hash of a row takes in a set that grows.</summary>
    private const int SeenRowBytes = 40;

    private readonly QueryPlan _plan;
    private readonly IQueryRows _found;
    private readonly RowProjection _projection;
    private readonly DocumentFilter? _filter;
    private readonly HashSet<UInt128>? _seen;
    private readonly GatheredIds _rows = new();
    private readonly ArrayBufferWriter<byte> _row = new();
    private QueryMoment? _moment;
    private long _fitting;
    private long _duplicates;
    private long _gone;
    private bool _isGathered;

    /// <param name="plan">With its page.</param>
    /// <param name="found">The rows of the plan without its page.</param>
    /// <param name="projection">What <c>distinct</c> compares.</param>
    public GatheredRows(QueryPlan plan, IQueryRows found, RowProjection projection)
    {
        _plan = plan;
        _found = found;
        _projection = projection;
        _filter = plan.Filter is { } filter ? new DocumentFilter(filter) : null;
        _seen = plan.IsDistinct && projection.IsNeeded ? [] : null;
    }

    public long? Total =>
        !_isGathered ? null
        : CountsRows ? _seen!.Count
        : _filter is null ? _found.Total
        : _fitting;

    public long Skipped => _found.Skipped + _duplicates + _gone;

    /// <summary>Documents that the filter has looked at; null without one.</summary>
    public long? Scanned { get; private set; }

    public bool IsInterrupted { get; private set; }

    public bool Begin(QueryMoment moment)
    {
        _moment = moment;
        IsInterrupted = false;
        if (!_isGathered && _found.Begin(moment))
            Gather();
        return _isGathered;
    }

    public bool MoveNext(out Document document)
    {
        document = default;
        while (true)
        {
            IsInterrupted = _moment!.Documents.IsDue;
            if (IsInterrupted || !_rows.TryTake(out var id))
                return false;
            if (_moment.Documents.TryGet(id, out document))
                return true;
            _gone++;
        }
    }

    public void End()
    {
        _found.End();
        _moment = null;
    }

    public void Dispose() => _filter?.Dispose();

    /// <summary>A distinct query for no row at all asks how many rows there are: so the clients count distinct values.</summary>
    private bool CountsRows => _seen is not null && _plan.Take == 0;

    private void Gather()
    {
        if (_filter is not null)
            Scanned ??= 0;
        while (!IsFull)
        {
            if (!_found.MoveNext(out var document))
            {
                _isGathered = !_found.IsInterrupted;
                return;
            }
            Look(document);
        }
        _isGathered = true;
    }

    /// <summary>Without a filter the number of matches is known, and a full page is enough, but for a count.</summary>
    private bool IsFull => _filter is null ? !CountsRows && _plan.Take is { } take && _rows.Count >= take : Scanned >= _plan.Filter!.Limit;

    private void Look(in Document document)
    {
        if (_filter is not null)
        {
            Scanned++;
            if (!_filter.Fits(document))
                return;
        }
        _fitting++;
        if (_seen is not null && !IsNew(document))
        {
            if (_fitting > _plan.Skip)
                _duplicates++;
            return;
        }
        if (_fitting <= _plan.Skip || (_plan.Take is { } take && _rows.Count >= take))
            return;
        RequireRoom(_rows.Count);
        _rows.Add(document.LowerId);
    }

    private bool IsNew(in Document document)
    {
        RequireRoom(_seen!.Count);
        _row.ResetWrittenCount();
        using (var json = new Utf8JsonWriter(_row, new JsonWriterOptions { SkipValidation = true }))
        {
            if (!_projection.TryWriteMembers(document, json, _row))
                return false;
        }
        // Two rows that differ must never count as one.
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(_row.WrittenSpan, hash);
        return _seen.Add(BinaryPrimitives.ReadUInt128LittleEndian(hash));
    }

    private void RequireRoom(int kept)
    {
        if (kept >= QueryLimits.MaxGatheredRows)
            throw new QueryTooLargeException(
                $"A query with 'filter' or 'distinct', or with a condition on @metadata that the index it names does not have, keeps its "
                    + $"results while it counts them, {QueryLimits.MaxGatheredRows:N0} at most (QueryLimits.MaxGatheredRows). "
                    + "Give it a smaller 'limit', or narrow it by 'where', which an index answers."
            );
        long bytes = _rows.Bytes + ((long)(_seen?.Count ?? 0) * SeenRowBytes);
        if (bytes >= QueryLimits.MaxGatheredBytes)
            throw new QueryTooLargeException(
                $"The ids of {_rows.Count:N0} results of a query with 'filter' or 'distinct', or with a condition on @metadata that the "
                    + $"index it names does not have, take {bytes:N0} bytes of memory; the limit is "
                    + $"{QueryLimits.MaxGatheredBytes:N0} (QueryLimits.MaxGatheredBytes). Give it a smaller 'limit', or narrow it by "
                    + "'where', which an index answers."
            );
    }
}
