using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Queries;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>
/// The documents that an answer's results refer to: their ids are gathered while the results are written, and the documents follow under
/// <c>Includes</c>, by id. A document that is a result itself is not sent twice; one that does not exist is left out.
/// </summary>
internal sealed class IncludedDocuments
{
    private const int PieceBytes = 1024 * 1024;

    private readonly IncludePath[] _paths;
    private readonly bool _metadataOnly;
    private readonly HashSet<string> _results;
    private readonly HashSet<string> _ids = new(StringComparer.OrdinalIgnoreCase);

    /// <param name="paths">Where in a result the ids stand.</param>
    /// <param name="results">Ids of the results, in any casing.</param>
    /// <param name="metadataOnly">Send documents without their bodies.</param>
    public IncludedDocuments(IEnumerable<string> paths, IEnumerable<string> results, bool metadataOnly)
        : this(paths.Where(p => p.Length > 0).Select(IncludePath.Parse), metadataOnly) => _results.UnionWith(results);

    public IncludedDocuments(IEnumerable<IncludePath> paths, bool metadataOnly)
    {
        _paths = [.. paths];
        _metadataOnly = metadataOnly;
        _results = new(StringComparer.OrdinalIgnoreCase);
    }

    public IReadOnlyList<IncludePath> Paths => _paths;

    /// <summary>Gathers the ids in one result.</summary>
    public void Collect(in Document document)
    {
        foreach (var path in _paths)
            path.CollectIds(document.Body, _ids);
    }

    /// <summary>As <see cref="Collect"/>, where the ids of results are not known beforehand.</summary>
    public void CollectResult(in Document document)
    {
        if (_paths.Length == 0)
            return;
        _results.Add(System.Text.Encoding.UTF8.GetString(document.Id));
        Collect(document);
    }

    /// <summary>Ends the array of results, writes the included documents, and ends the answer: all within the results' own
    /// transaction.</summary>
    public void Write(DocumentsReader reader, ResponseBuffer response, ResponseEtag etag)
    {
        WriteObject(reader, response, etag);
        response.Write("}"u8);
    }

    /// <summary>Writes <c>],"Includes":{…}</c>.</summary>
    public void WriteObject(DocumentsReader reader, ResponseBuffer response, ResponseEtag? etag)
    {
        response.Write("],\"Includes\":{"u8);
        var first = true;
        foreach (var id in _ids)
            WriteOne(reader, id, response, etag, ref first);
        response.Write("}"u8);
    }

    /// <summary>As <see cref="Write"/>, after results that were sent in pieces: a transaction a piece.</summary>
    /// <param name="request">Whose answer is ended.</param>
    /// <param name="database">Where the documents are.</param>
    /// <param name="nextPageStart">Told to the client when given.</param>
    public async Task WriteInPiecesAsync(RequestContext request, Database database, long? nextPageStart = null)
    {
        request.Response.Write("],\"Includes\":{"u8);
        var ids = _ids.ToArray();
        var position = 0;
        var first = true;
        while (position < ids.Length)
        {
            using (var reader = database.OpenRead("included documents"))
                while (position < ids.Length && request.Response.Length < PieceBytes)
                    WriteOne(reader, ids[position++], request.Response, null, ref first);
            await request.FlushPieceAsync();
        }
        request.Response.Write("}"u8);
        if (nextPageStart is { } next)
            request.Response.Write(
                System.Text.Encoding.ASCII.GetBytes(
                    string.Create(System.Globalization.CultureInfo.InvariantCulture, $",\"NextPageStart\":{next}")
                )
            );
        request.Response.Write("}"u8);
        await request.EndPiecesAsync();
    }

    private void WriteOne(DocumentsReader reader, string id, ResponseBuffer response, ResponseEtag? etag, ref bool first)
    {
        if (_results.Contains(id))
            return;
        if (!reader.TryGet(id, out var document))
        {
            etag?.AddMissing();
            return;
        }
        etag?.Add(document.ChangeVector);
        if (!first)
            response.Write((byte)',');
        first = false;
        response.Write((byte)'"');
        response.Write(JsonEncodedText.Encode(id).EncodedUtf8Bytes);
        response.Write("\":"u8);
        DocumentsById.Write(document, response, _metadataOnly);
    }
}
