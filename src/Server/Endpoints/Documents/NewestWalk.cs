using Jackdaw.Documents.Reading;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>
/// A walk over all documents, newest first, that goes on in another read transaction where it stopped in the last. Writers move documents
/// ahead of it meanwhile: those that were written since it began come at the end, oldest first, so that a document that exists all the
/// while is met at least once. Of them it meets no more than there were documents when it began: it ends though writers are faster.
/// </summary>
internal sealed class NewestWalk : IDocumentWalk
{
    private long _toSkip;
    private long _toTake;
    private long _beforeEtag = long.MaxValue;
    private long _afterEtag = -1;
    private long _writtenMeanwhile;
    private bool _isAtOldest;

    private NewestWalk(long skip, long take)
    {
        _toSkip = skip;
        _toTake = take;
    }

    public bool IsAtEnd { get; private set; }

    /// <summary>Reads <c>start</c> and <c>pageSize</c>.</summary>
    public static NewestWalk FromQuery(QueryParameters query) =>
        new(query.NonNegative("start", 0), query.NonNegative("pageSize", long.MaxValue));

    public void Read(DocumentsReader reader, Func<bool> hasRoom, DocumentAction action)
    {
        if (_afterEtag < 0)
        {
            _afterEtag = reader.LastEtag;
            _writtenMeanwhile = reader.DocumentCount;
        }
        var cursor = _isAtOldest ? reader.ByEtag(_afterEtag) : reader.NewestFirst(_beforeEtag);
        while (_toTake > 0 && !(_isAtOldest && _writtenMeanwhile == 0))
        {
            if (reader.IsDue || !hasRoom())
                return;
            if (cursor.MoveNext())
                Meet(cursor.Current, action);
            else if (_isAtOldest)
                break;
            else
            {
                _isAtOldest = true;
                cursor = reader.ByEtag(_afterEtag);
            }
        }
        IsAtEnd = true;
    }

    private void Meet(in Document document, DocumentAction action)
    {
        if (_isAtOldest)
        {
            _afterEtag = document.Etag;
            _writtenMeanwhile--;
        }
        else
            _beforeEtag = document.Etag;
        if (_toSkip > 0)
        {
            _toSkip--;
            return;
        }
        action(document);
        _toTake--;
    }
}
