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
    private QueryMoment(Database database, IndexReading? index, DocumentsReader documents)
    {
        Database = database;
        Index = index;
        Documents = documents;
    }

    /// <summary>The database that is read.</summary>
    public Database Database { get; }

    /// <summary>Null for a query that needs no index.</summary>
    public IndexReading? Index { get; }

    /// <summary>The documents, as of the same moment or later.</summary>
    public DocumentsReader Documents { get; }

    /// <summary>Opens both at their newest commits. Errors: those of <see cref="Processes.Index.OpenRead"/> and
    /// <see cref="Documents.Database.OpenRead"/>.</summary>
    /// <param name="database">Which database.</param>
    /// <param name="index">Which index; null for none.</param>
    /// <param name="purpose">Names the readers in statistics.</param>
    public static QueryMoment Open(Database database, Processes.Index? index, string purpose)
    {
        ArgumentNullException.ThrowIfNull(database);
        var reading = index?.OpenRead(purpose);
        try
        {
            return new QueryMoment(database, reading, database.OpenRead(purpose));
        }
        catch
        {
            reading?.Dispose();
            throw;
        }
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
        Documents.Dispose();
        Index?.Dispose();
    }
}
