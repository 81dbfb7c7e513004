using System.Text;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Queries;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>
/// The documents that an answer's results refer to: their ids are gathered while the results are written, and the documents follow under
/// <c>Includes</c>, by id. A document that does not exist is left out. One that is a result itself is not sent again, as long as the ids of
/// the results fit into the memory that they may take.
/// </summary>
internal sealed class IncludedDocuments
{
    private const int PieceBytes = 1024 * 1024;

    private readonly IncludePath[] _paths;
    private readonly bool _metadataOnly;
    private readonly HashSet<string> _results = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _ids = new(StringComparer.OrdinalIgnoreCase);
    private readonly List<string> _found = [];
    private IdMemory _resultMemory;
    private IdMemory _idMemory;
    private string[]? _toWrite;
    private int _next;
    private bool _hasWritten;
    private bool _resultsAreFull;

    /// <param name="paths">Where in a result the ids stand.</param>
    /// <param name="results">Ids of the results, in any casing.</param>
    /// <param name="metadataOnly">Send documents without their bodies.</param>
    public IncludedDocuments(IEnumerable<string> paths, IEnumerable<string> results, bool metadataOnly)
        : this(paths.Where(p => p.Length > 0).Select(IncludePath.Parse), metadataOnly) => _results.UnionWith(results);

    public IncludedDocuments(IEnumerable<IncludePath> paths, bool metadataOnly)
    {
        _paths = [.. paths];
        _metadataOnly = metadataOnly;
    }

    public IReadOnlyList<IncludePath> Paths => _paths;

    /// <summary>True until <see cref="CollectResult"/> is called.</summary>
    public bool IsFirstResult { get; private set; } = true;

    /// <summary>Gathers the ids in one result.</summary>
    /// <exception cref="BadRequestException">They take more memory than they may.</exception>
    public void Collect(in Document document)
    {
        foreach (var path in _paths)
        {
            path.CollectIds(document.Body, _found);
            foreach (var id in _found)
            {
                if (_ids.Add(id) && !_idMemory.TryAdd(id))
                    throw _idMemory.Refusal("The results refer to");
            }
            _found.Clear();
        }
    }

    /// <summary>As <see cref="Collect"/>, where the ids of results are not known beforehand.</summary>
    public void CollectResult(in Document document)
    {
        IsFirstResult = false;
        if (_paths.Length == 0)
            return;
        if (!_resultsAreFull)
        {
            var id = Encoding.UTF8.GetString(document.Id);
            _resultsAreFull = !_resultMemory.TryAdd(id);
            _results.Add(id);
        }
        Collect(document);
    }

    /// <summary>
    /// Writes <c>],"Includes":{…}</c>, which ends the array of results, or goes on with it, until the reader is due or the response is
    /// a piece.
    /// </summary>
    /// <param name="reader">The reader of now.</param>
    /// <param name="response">Where to.</param>
    /// <param name="pieceBytes">Enough for now.</param>
    /// <param name="etag">Is told what was written; null: nobody wants to know.</param>
    /// <returns>True when all are written.</returns>
    public bool WriteNext(DocumentsReader reader, ResponseBuffer response, int pieceBytes, ResponseEtag? etag = null)
    {
        if (_toWrite is null)
        {
            _toWrite = [.. _ids];
            response.Write("],\"Includes\":{"u8);
        }
        for (; _next < _toWrite.Length; _next++)
        {
            if (reader.IsDue || response.Length >= pieceBytes)
                return false;
            WriteOne(reader, _toWrite[_next], response, etag);
        }
        response.Write("}"u8);
        return true;
    }

    /// <summary>Goes on with <see cref="WriteNext"/> to the end, a transaction a piece.</summary>
    public async Task WriteRestAsync(RequestContext request, Database database)
    {
        for (var isWhole = false; !isWhole; )
        {
            await request.GoOnAsync(PieceBytes);
            using var reader = database.OpenRead("included documents");
            isWhole = WriteNext(reader, request.Response, PieceBytes);
        }
    }

    private void WriteOne(DocumentsReader reader, string id, ResponseBuffer response, ResponseEtag? etag)
    {
        if (_results.Contains(id))
            return;
        if (!reader.TryGet(id, out var document))
        {
            etag?.AddMissing();
            return;
        }
        etag?.Add(document.ChangeVector);
        if (_hasWritten)
            response.Write((byte)',');
        _hasWritten = true;
        response.Write((byte)'"');
        response.Write(JsonEncodedText.Encode(id).EncodedUtf8Bytes);
        response.Write("\":"u8);
        DocumentsById.Write(document, response, _metadataOnly);
    }
}
