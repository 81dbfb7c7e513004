using Jackdaw.Documents;
using Jackdaw.Indexing.Processes;

namespace Jackdaw.Indexing.Running;

/// <summary>
/// The moments in which one query is answered, one after another. An answer that takes several of them goes on over the index that it
/// began with, also when that was replaced or built again since. Of one thread at a time; ends with Dispose.
/// </summary>
/// <param name="database">Which database.</param>
public sealed class QueryMoments(Database database) : IDisposable
{
    private IndexLease? _lease;

    /// <summary>Opens the next moment: over the index that was kept, or else over the given one. Waits, and fails, as
    /// <see cref="Processes.Index.OpenReadAsync"/> does.</summary>
    /// <param name="index">Which index; null for none.</param>
    /// <param name="purpose">Names the readers in statistics.</param>
    /// <param name="cancellation">Ends the wait for the index's folder.</param>
    public ValueTask<QueryMoment> OpenAsync(Processes.Index? index, string purpose, CancellationToken cancellation) =>
        _lease?.TryOpenRead(purpose) is { } kept
            ? new ValueTask<QueryMoment>(QueryMoment.Over(database, kept, purpose))
            : QueryMoment.OpenAsync(database, index, purpose, cancellation);

    /// <summary>The answer goes on after this moment: its index is kept until then.</summary>
    public void Keep(QueryMoment moment)
    {
        ArgumentNullException.ThrowIfNull(moment);
        if (_lease is null or { HasEnded: true })
            _lease = moment.Index?.Keep();
    }

    /// <inheritdoc/>
    public void Dispose() => _lease?.Dispose();
}
