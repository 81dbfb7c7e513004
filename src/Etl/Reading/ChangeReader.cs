using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Watching;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.DeadLetters;

namespace Jackdaw.Etl.Reading;

/// <summary>The changes that a transform is for, in etag order. Belongs to its <see cref="DocumentsReader"/>.</summary>
internal sealed class ChangeReader
{
    private readonly ChangeCursor _changes;
    private readonly bool _isOverAll;
    private readonly bool _readsDeadLetters;

    public ChangeReader(DocumentsReader reader, TransformConfiguration transform, long afterEtag)
    {
        _isOverAll = transform.ApplyToAllDocuments;
        _readsDeadLetters = !_isOverAll && transform.Collections.Contains(DeadLetter.Collection, StringComparer.OrdinalIgnoreCase);
        _changes = _isOverAll
            ? reader.Changes(afterEtag, transform.WantedKinds)
            : reader.Changes(transform.Collections, afterEtag, transform.WantedKinds);
    }

    /// <summary>The one moved to; valid until the next move.</summary>
    public DocumentChange Current => _changes.Current;

    /// <summary>False after <see cref="MoveNext(long)"/> has passed as many as it may.</summary>
    public bool IsCurrentWanted { get; private set; }

    /// <summary>Moves to the next; false at the end.</summary>
    public bool MoveNext() => MoveNext(long.MaxValue);

    /// <summary>Likewise, but after so many that the transform is not for it stands on the next of any kind.</summary>
    public bool MoveNext(long passAtMost)
    {
        while (_changes.MoveNext())
        {
            IsCurrentWanted = IsWanted();
            if (passAtMost-- <= 0 || IsCurrentWanted)
                return true;
        }
        return false;
    }

    private bool IsWanted()
    {
        if (!_isOverAll && !_readsDeadLetters)
            return true;
        var change = _changes.Current;
        if (!_isOverAll)
            return change.IsTombstone || !StoredDeadLetter.IsOfDeadLetter(change.Document);
        return !TransformConfiguration.IsSystemCollection(change.IsTombstone ? change.Tombstone.Collection : change.Document.Collection);
    }
}
