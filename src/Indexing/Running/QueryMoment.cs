using System.Buffers.Binary;
using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Queries;

namespace Jackdaw.Indexing.Running;

/// <summary>
/// The database, and the index that a query asks, at one moment. The index is opened first: so what it has seen is never taken for more
/// than it was (docs/indexing.md, Staleness). Of one thread; ends with Dispose, within the limit on readers.
/// </summary>
public sealed class QueryMoment : IDisposable
{
    private readonly string _purpose;
    private DocumentsReader? _documents;

    private QueryMoment(Database database, IndexReading? index, string purpose)
    {
        Database = database;
        Index = index;
        _purpose = purpose;
    }

    /// <summary>The database that is read.</summary>
    public Database Database { get; }

    /// <summary>Null for a query that needs no index.</summary>
    public IndexReading? Index { get; }

    /// <summary>The documents, as of the same moment or later. They are opened when they are first asked for: while an index is searched,
    /// however long that takes, no reader holds up the writers of documents. Errors: those of
    /// <see cref="Documents.Database.OpenRead"/>.</summary>
    public DocumentsReader Documents => _documents ??= Database.OpenRead(_purpose);

    /// <summary>Opens the index at its newest commit. Waits, and fails, as <see cref="Processes.Index.OpenReadAsync"/> does.</summary>
    /// <param name="database">Which database.</param>
    /// <param name="index">Which index; null for none.</param>
    /// <param name="purpose">Names the readers in statistics.</param>
    /// <param name="cancellation">Ends the wait for the index's folder.</param>
    public static async ValueTask<QueryMoment> OpenAsync(
        Database database,
        Processes.Index? index,
        string purpose,
        CancellationToken cancellation
    )
    {
        ArgumentNullException.ThrowIfNull(database);
        var reading = index is null ? null : await index.OpenReadAsync(purpose, cancellation).ConfigureAwait(false);
        return new QueryMoment(database, reading, purpose);
    }

    /// <summary>A moment over an index that is open.</summary>
    internal static QueryMoment Over(Database database, IndexReading index, string purpose) => new(database, index, purpose);

    /// <summary>Lets the documents go until they are asked for again, then as of a later moment.</summary>
    public void ReleaseDocuments()
    {
        _documents?.Dispose();
        _documents = null;
    }

    /// <summary>Returns the highest etag of a collection, its deletions included; of all collections for null. An index that has seen it
    /// has seen everything that was there at this moment.</summary>
    public static long LastEtagOf(DocumentsReader documents, string? collection)
    {
        ArgumentNullException.ThrowIfNull(documents);
        return collection is null ? documents.LastChange() : documents.LastChange(collection);
    }

    /// <summary>
    /// A number that is another one whenever the answer of the query could be: what a client's cache is checked against. An answer that
    /// shows other documents than the index's (includes, loads) depends on everything in the database.
    /// </summary>
    public long ResultEtag(QueryPlan plan)
    {
        ArgumentNullException.ThrowIfNull(plan);
        Span<byte> id = stackalloc byte[16];
        Database.Id.TryWriteBytes(id);
        long etag = BinaryPrimitives.ReadInt64LittleEndian(id);
        if (Index is null)
            return (etag ^ Documents.LastEtag) & long.MaxValue;
        etag ^= Index.ResultEtag(Documents);
        if (plan.ShowsOtherDocuments)
            etag = (etag * 31) ^ Documents.LastEtag;
        return etag & long.MaxValue;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        ReleaseDocuments();
        Index?.Dispose();
    }
}
