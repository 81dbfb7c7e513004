using Jackdaw.Documents.Json;
using Jackdaw.Indexing.Running;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>The answer to <c>/streams/queries</c>: a line a result, or the elements of one array.</summary>
internal sealed class QueryStream(RequestContext request, QueryExecution execution) : IDisposable
{
    private readonly QueryResult _result = new(execution, request.Server.Scripts, request.Query.Flag("metadataOnly"));
    private readonly bool _lines = StreamsEndpoints.AsksForLines(request);

    public void Dispose() => _result.Dispose();

    public async Task SendAsync()
    {
        var contentType = _lines ? StreamsEndpoints.JsonLines : "application/json; charset=utf-8";
        for (var isFirst = true; !_result.IsAtEnd; isFirst = false)
        {
            if (!isFirst)
            {
                execution.Cancellation.ThrowIfCancellationRequested();
                await request.GoOnAsync(StreamsEndpoints.PieceBytes, contentType);
            }
            using var moment = await execution.OpenAsync("POST /streams/queries");
            WriteNext(moment);
            if (!_result.IsAtEnd)
                execution.Keep(moment);
        }
        if (!_lines)
            request.Response.Write("]}"u8);
        await request.EndPiecesAsync(contentType);
    }

    private void WriteNext(QueryMoment moment)
    {
        try
        {
            var isCounted = _result.Total is not null;
            if (!_result.Begin(moment))
                return;
            if (!isCounted)
                WriteHead(moment);
            if (_lines)
                _result.WriteNext(request, [], "{\"Item\":"u8, "}\n"u8, StreamsEndpoints.PieceBytes);
            else
                _result.WriteNext(request, ","u8, [], [], StreamsEndpoints.PieceBytes);
        }
        finally
        {
            _result.End();
        }
    }

    /// <summary>The order of the properties is part of the protocol.</summary>
    private void WriteHead(QueryMoment moment)
    {
        var json = request.Json();
        json.WriteStartObject();
        if (_lines)
            json.WriteStartObject("Stats");
        json.WriteNumber("ResultEtag", execution.ResultEtag(moment));
        json.WriteBoolean("IsStale", execution.IsStale(moment));
        json.WriteString("IndexName", execution.IndexName);
        json.WriteNumber("TotalResults", _result.Total!.Value);
        json.WriteString("IndexTimestamp", ProtocolDate.ToText(moment.Index?.LastIndexedAt ?? 0, withZ: false));
        if (_lines)
        {
            json.WriteEndObject();
            json.WriteEndObject();
        }
        else
            json.WriteStartArray("Results");
        json.Flush();
        if (_lines)
            request.Response.Write((byte)'\n');
    }
}
