using Jackdaw.Documents.Layout;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents.EventStreams;

/// <summary>Goes over deletions of events by their positions. A deletion whose events are removed from disk is not among them any
/// more. Dispose of it before its reader.</summary>
public sealed class EventDeletionCursor : IDisposable
{
    private readonly BTreeCursor _cursor;
    private readonly long _after;
    private bool _hasBegun;

    internal EventDeletionCursor(BTree deletions, long after)
    {
        _cursor = deletions.OpenCursor();
        _after = after;
    }

    /// <summary>The etag of the deletion.</summary>
    public long Position => Schema.ReadEtagKey(_cursor.Key);

    /// <summary>The number of the stream whose events are deleted.</summary>
    public long StreamNumber => DeletionRecord.Read(_cursor.Value).StreamNumber;

    /// <summary>Moves on; false at the end.</summary>
    public bool MoveNext()
    {
        if (_hasBegun)
            return _cursor.MoveNext();
        _hasBegun = true;
        if (_after == long.MaxValue)
            return false;
        Span<byte> key = stackalloc byte[Schema.EtagKeyBytes];
        Schema.WriteEtagKey(_after + 1, key);
        return _cursor.Seek(key);
    }

    /// <inheritdoc/>
    public void Dispose() => _cursor.Dispose();
}
