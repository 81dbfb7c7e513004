using System.Buffers.Binary;
using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Queries;
using Jackdaw.Server.Endpoints.Documents;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>A query being answered: its results, a piece at a time, each piece out of a read transaction of its own.</summary>
internal sealed class QueryResult
{
    private readonly QueryPlan _plan;
    private readonly bool _metadataOnly;
    private readonly QueryCount _count;
    private QueryPosition? _position;

    public QueryResult(QueryPlan plan, bool metadataOnly)
    {
        _plan = plan;
        _count = new QueryCount(plan);
        _metadataOnly = metadataOnly;
        Included = new IncludedDocuments(plan.Includes, metadataOnly);
    }

    public IncludedDocuments Included { get; }

    public string IndexName => _plan.IndexName;

    /// <summary>Results written so far.</summary>
    public long Written { get; private set; }

    /// <summary>True when there are no more results.</summary>
    public bool IsAtEnd { get; private set; }

    /// <summary>A number that is another one whenever anything in the database is: what a client's cache is checked against.</summary>
    public static long Etag(DocumentsReader reader, Database database)
    {
        Span<byte> id = stackalloc byte[16];
        database.Id.TryWriteBytes(id);
        return (reader.LastEtag ^ BinaryPrimitives.ReadInt64LittleEndian(id)) & long.MaxValue;
    }

    /// <summary>All matches, whatever is skipped or cut off; null until they are counted.</summary>
    public long? Total { get; private set; }

    /// <summary>Goes on counting what comes before the results in every answer; false when the reader is due before it is done.</summary>
    public bool Count(DocumentsReader reader)
    {
        if (Total is not null)
            return true;
        if (!_count.Continue(reader))
            return false;
        Total = _count.Total;
        _position = _count.Results;
        return true;
    }

    /// <summary>Writes the next results until the response holds <paramref name="pieceBytes"/> or the reader is due.</summary>
    /// <param name="reader">Opened for this piece.</param>
    /// <param name="request">Whose response is written.</param>
    /// <param name="before">Written before each result but the first.</param>
    /// <param name="opening">Written before each result.</param>
    /// <param name="closing">Written after each result.</param>
    /// <param name="pieceBytes">Enough for now.</param>
    public void WriteNext(
        DocumentsReader reader,
        RequestContext request,
        ReadOnlySpan<byte> before,
        ReadOnlySpan<byte> opening,
        ReadOnlySpan<byte> closing,
        int pieceBytes
    )
    {
        var response = request.Response;
        var cursor = QueryCursor.Open(_plan, reader, _position);
        while (cursor.MoveNext())
        {
            var document = cursor.Current;
            if (Written++ > 0)
                response.Write(before);
            response.Write(opening);
            Included.CollectResult(document);
            if (_plan.Projection is { } projection)
            {
                var json = request.Json();
                projection.Write(document, json, response);
                json.Flush();
            }
            else
                DocumentsById.Write(document, response, _metadataOnly);
            response.Write(closing);
            if (response.Length >= pieceBytes)
            {
                _position = cursor.Position;
                return;
            }
        }
        IsAtEnd = !cursor.IsInterrupted;
        if (!IsAtEnd)
            _position = cursor.Position;
    }
}
