using Jackdaw.Documents.Reading;

namespace Jackdaw.Indexing.Running;

/// <summary>
/// The documents of a query, one after another, over as many moments as it takes. Calls: <see cref="Begin"/>, <see cref="MoveNext"/> again
/// and again, <see cref="End"/>; then the same with the next moment.
/// </summary>
internal interface IQueryRows
{
    /// <summary>All matches, whatever is passed over or left out; null until they are counted.</summary>
    long? Total { get; }

    /// <summary>Matches that were left out, because their documents are gone.</summary>
    long Skipped { get; }

    /// <summary><see cref="MoveNext"/> gave nothing because the moment has lasted long enough: there may be more.</summary>
    bool IsInterrupted { get; }

    /// <summary>Goes on in a moment. Returns false when it has passed before the matches are counted: go on in another one.</summary>
    bool Begin(QueryMoment moment);

    /// <summary>Moves to the next document, which is valid until the next move.</summary>
    bool MoveNext(out Document document);

    /// <summary>Lets the moment go.</summary>
    void End();
}
