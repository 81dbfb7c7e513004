using System.Buffers;
using System.Text.Json;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Running;
using Jackdaw.Scripting;
using Jackdaw.Server.Endpoints.Documents;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>A query being answered: its results, a piece at a time, each piece out of a moment of its own.</summary>
internal sealed class QueryResult : IDisposable
{
    private readonly QueryPlan _plan;
    private readonly bool _metadataOnly;
    private readonly QueryReading _reading;

    /// <summary>What a script makes of a document, before it is known to be something.</summary>
    private ArrayBufferWriter<byte>? _scriptRow;
    private Utf8JsonWriter? _scriptJson;

    public QueryResult(QueryExecution execution, ScriptEngine scripts, bool metadataOnly)
    {
        _plan = execution.Plan;
        _reading = new QueryReading(execution.Plan, scripts, execution.Cancellation);
        _metadataOnly = metadataOnly;
        Included = new IncludedDocuments(_plan.Includes, metadataOnly);
    }

    public IncludedDocuments Included { get; }

    /// <summary>Results written so far.</summary>
    public long Written { get; private set; }

    /// <summary>True when there are no more results.</summary>
    public bool IsAtEnd => _reading.IsAtEnd;

    /// <summary>All matches, whatever is skipped or cut off; null until they are counted.</summary>
    public long? Total => _reading.Total;

    /// <summary>Matches left out so far, because their documents are gone.</summary>
    public long Skipped => _reading.Skipped;

    /// <summary>Documents that a filter has looked at; null without one.</summary>
    public long? Scanned => _reading.Scanned;

    /// <summary>Results that the limits of the query leave of all matches; null for a query without a limit.</summary>
    public long? CappedTotal => _plan.Take is { } take && Total is { } total ? Math.Min(Math.Max(0, total - _plan.Skip), take) : null;

    /// <summary>Goes on in a moment; false when it has passed before the matches are counted.</summary>
    public bool Begin(QueryMoment moment) => _reading.Begin(moment);

    /// <summary>Writes the next results until the response holds <paramref name="pieceBytes"/> or the moment is due.</summary>
    /// <param name="request">Whose response is written.</param>
    /// <param name="before">Written before each result but the first.</param>
    /// <param name="opening">Written before each result.</param>
    /// <param name="closing">Written after each result.</param>
    /// <param name="pieceBytes">Enough for now.</param>
    public void WriteNext(
        RequestContext request,
        ReadOnlySpan<byte> before,
        ReadOnlySpan<byte> opening,
        ReadOnlySpan<byte> closing,
        int pieceBytes
    )
    {
        var response = request.Response;
        while (response.Length < pieceBytes && _reading.MoveNext(out var document))
        {
            var isAnother = Written > 0;
            if (!_reading.Projects)
            {
                Open(response, isAnother ? before : [], opening);
                DocumentsById.Write(document, response, _metadataOnly);
            }
            else if (!TryProject(document, request, isAnother ? before : [], opening))
                continue;
            Written++;
            response.Write(closing);
            Included.CollectResult(document);
        }
    }

    /// <summary>Lets the moment go.</summary>
    public void End() => _reading.End();

    public void Dispose()
    {
        _reading.Dispose();
        _scriptJson?.Dispose();
    }

    private static void Open(ResponseBuffer response, ReadOnlySpan<byte> before, ReadOnlySpan<byte> opening)
    {
        response.Write(before);
        response.Write(opening);
    }

    /// <summary>False, and nothing written, when nothing is made of the document.</summary>
    private bool TryProject(in Document document, RequestContext request, ReadOnlySpan<byte> before, ReadOnlySpan<byte> opening)
    {
        var response = request.Response;
        if (_plan.Script is null)
        {
            Open(response, before, opening);
            return _reading.TryProject(document, request.Json(), response);
        }
        _scriptRow ??= new ArrayBufferWriter<byte>();
        _scriptRow.ResetWrittenCount();
        _scriptJson ??= new Utf8JsonWriter(_scriptRow, new JsonWriterOptions { SkipValidation = true });
        _scriptJson.Reset(_scriptRow);
        if (!_reading.TryProject(document, _scriptJson, _scriptRow))
            return false;
        Open(response, before, opening);
        response.Write(_scriptRow.WrittenSpan);
        return true;
    }
}
