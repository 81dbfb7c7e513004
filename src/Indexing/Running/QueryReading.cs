using System.Buffers;
using System.Text.Json;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Queries;
using Jackdaw.Scripting;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Running;

/// <summary>
/// A query being answered, a moment at a time: <see cref="Begin"/>, <see cref="MoveNext"/> again and again, <see cref="End"/>; then
/// the same with the next moment, until <see cref="IsAtEnd"/>. Of one thread at a time.
/// </summary>
public sealed class QueryReading : IDisposable
{
    private readonly IQueryRows _rows;
    private long _unmade;

    private readonly RowProjection _projection;
    private readonly IndexRows? _index;

    /// <param name="plan">What to answer.</param>
    /// <param name="scripts">For projections in JavaScript; null: the plan has none.</param>
    /// <param name="cancellation">Ends the search: time is up, or the client has gone.</param>
    /// <exception cref="QueryScriptException">The query's script does not compile.</exception>
    public QueryReading(QueryPlan plan, ScriptEngine? scripts, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(plan);
        Plan = plan;
        _projection = new RowProjection(plan, scripts);
        bool gathers = plan.Filter is not null || (plan.IsDistinct && _projection.IsNeeded);
        var found = gathers ? plan with { Skip = 0, Take = null } : plan;
        _index = plan.Index is null ? null : new IndexRows(found, cancellation);
        IQueryRows rows = _index is null ? new CollectionRows(found) : _index;
        _rows = gathers ? new GatheredRows(plan, rows, _projection) : rows;
    }

    /// <summary>What is answered.</summary>
    public QueryPlan Plan { get; }

    /// <summary>All matches, whatever is passed over or left out; null until they are counted.</summary>
    public long? Total => _rows.Total;

    /// <summary>Matches left out so far: because their documents are gone, because <c>distinct</c> has seen their like, or because a
    /// script has made nothing of them.</summary>
    public long Skipped => _rows.Skipped + _unmade;

    /// <summary>Documents that a filter has looked at; null without one.</summary>
    public long? Scanned => (_rows as GatheredRows)?.Scanned;

    /// <summary>What is sent of a row is what <see cref="TryProject"/> writes, and not the document.</summary>
    public bool Projects => _projection.IsNeeded;

    /// <summary>There are no more rows.</summary>
    public bool IsAtEnd { get; private set; }

    /// <summary>How the index found the answer, for people; null for a query without one. Between <see cref="Begin"/> and
    /// <see cref="End"/> of the first moment.</summary>
    public string? Explanation => _index?.Explanation;

    /// <summary>Goes on in a moment. Returns false when it has passed before the matches are counted: end it, and go on in another one.
    /// Errors: <see cref="Search.SearchQueryException"/>, <see cref="OperationCanceledException"/>.</summary>
    public bool Begin(QueryMoment moment)
    {
        ArgumentNullException.ThrowIfNull(moment);
        Invariant.Require(!IsAtEnd);
        _projection.Begin(moment);
        return _rows.Begin(moment);
    }

    /// <summary>Moves to the next row. Returns false at the end (<see cref="IsAtEnd"/>), and when the moment has lasted long
    /// enough.</summary>
    /// <param name="document">The row's document; valid until the next move.</param>
    public bool MoveNext(out Document document)
    {
        bool has = _rows.MoveNext(out document);
        IsAtEnd = !has && !_rows.IsInterrupted;
        return has;
    }

    /// <summary>Lets the moment go.</summary>
    public void End()
    {
        _rows.End();
        _projection.End();
    }

    /// <summary>Writes what the projection makes of a row; false, and nothing written, when that is nothing. Errors:
    /// <see cref="QueryScriptException"/>.</summary>
    public bool TryProject(in Document document, Utf8JsonWriter writer, IBufferWriter<byte> output)
    {
        bool isMade = _projection.TryWrite(document, writer, output);
        _unmade += isMade ? 0 : 1;
        return isMade;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        End();
        (_rows as IDisposable)?.Dispose();
    }
}
