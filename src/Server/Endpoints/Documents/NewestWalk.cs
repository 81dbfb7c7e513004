using Jackdaw.Documents.Reading;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>
/// A walk over all documents, newest first, that goes on in another read transaction where it stopped in the last. Writers move documents
/// ahead of it meanwhile: those that were written since it began come at the end, oldest first, so that a document that exists all the
/// while is met at least once, unless it is written again and again (docs/reads.md). It meets all of them that are there when it comes to
/// the end, and of what is written later no more than there were documents when it began: it ends though writers are faster.
/// </summary>
internal sealed class NewestWalk : IDocumentWalk
{
    private long _toSkip;
    private long _toTake;
    private long _beforeEtag = long.MaxValue;
    private long _afterEtag = -1;
    private long _endEtag;
    private long _laterOnes;
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
            _laterOnes = reader.DocumentCount;
        }
        var cursor = _isAtOldest ? reader.ByEtag(_afterEtag) : reader.NewestFirst(_beforeEtag);
        while (_toTake > 0 && !(_isAtOldest && _laterOnes == 0))
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
                _endEtag = reader.LastEtag;
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
            if (document.Etag > _endEtag)
                _laterOnes--;
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
