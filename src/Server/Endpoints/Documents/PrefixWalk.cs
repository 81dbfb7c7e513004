using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Documents;

/// <summary>
/// A walk over the documents under a prefix in id order, with globs and paging, that can go on in another read transaction where
/// it stopped in the last. A document
/// that exists all the while is met exactly once.
/// </summary>
internal sealed class PrefixWalk : IDocumentWalk
{
    private readonly byte[] _prefix;
    private readonly int _lowerPrefixBytes;
    private readonly IdPattern? _matches;
    private readonly IdPattern? _exclude;
    private readonly long _start;
    private long _toSkip;
    private long _toTake;
    private long _taken;
    private byte[] _after;

    private PrefixWalk(string prefix, string startAfter, IdPattern? matches, IdPattern? exclude, long skip, long take)
    {
        _prefix = Encoding.UTF8.GetBytes(prefix);
        _lowerPrefixBytes = Encoding.UTF8.GetByteCount(prefix.ToLowerInvariant());
        _after = Encoding.UTF8.GetBytes(startAfter);
        _matches = matches;
        _exclude = exclude;
        _start = _toSkip = skip;
        _toTake = take;
    }

    public bool IsAtEnd { get; private set; }

    /// <summary>The <c>start</c> of a walk that goes on where this one has come to: both count the documents that the globs let
    /// through.</summary>
    public long NextPageStart => _start + _taken;

    /// <summary>Reads <c>matches</c>, <c>exclude</c>, <c>startAfter</c>, <c>start</c> and <c>pageSize</c>.</summary>
    public static PrefixWalk FromQuery(QueryParameters query, string prefix) =>
        new(
            prefix,
            query["startAfter"] ?? "",
            IdPattern.Parse(query["matches"]),
            IdPattern.Parse(query["exclude"]),
            query.NonNegative("start", 0),
            query.NonNegative("pageSize", long.MaxValue)
        );

    public void Read(DocumentsReader reader, Func<bool> hasRoom, DocumentAction action)
    {
        var cursor = reader.ByIdPrefix(_prefix, _after);
        var moved = false;
        while (_toTake > 0)
        {
            if (reader.IsDue || !hasRoom())
            {
                if (moved)
                    _after = cursor.Current.LowerId.ToArray();
                return;
            }
            if (!cursor.MoveNext())
                break;
            moved = true;
            if (cursor.IsHidden)
                continue;
            var document = cursor.Current;
            var rest = document.LowerId[Math.Min(_lowerPrefixBytes, document.LowerId.Length)..];
            var wanted = _matches?.Matches(rest) != false && _exclude?.Matches(rest) != true;
            if (wanted && _toSkip == 0)
            {
                action(document);
                _toTake--;
                _taken++;
            }
            else if (wanted)
                _toSkip--;
        }
        IsAtEnd = true;
    }
}
