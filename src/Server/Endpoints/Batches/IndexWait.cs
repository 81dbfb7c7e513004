using System.Diagnostics;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Running;
using Jackdaw.Server.Http;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Server.Endpoints.Batches;

/// <summary>A batch that waits for indexes: its answer comes when they have seen what it has saved.</summary>
/// <param name="Timeout">For how long.</param>
/// <param name="Throws">Time that is up is an error. The batch is saved all the same.</param>
/// <param name="Names">The indexes; none: all of the batch's collections.</param>
internal sealed record IndexWait(TimeSpan Timeout, bool Throws, IReadOnlyList<string> Names)
{
    /// <summary>Null when the batch does not wait.</summary>
    public static IndexWait? From(QueryParameters query)
    {
        if (query["waitForIndexesTimeout"] is not { Length: > 0 } timeout)
            return null;
        return new IndexWait(
            QueryTime.Of("waitForIndexesTimeout", timeout),
            !query.Has("waitForIndexThrow") || query.Flag("waitForIndexThrow"),
            query.All("waitForSpecificIndex")
        );
    }

    /// <summary>Refuses a batch that names an index that the database does not have, unless it wants no error when time is up
    /// either.</summary>
    /// <exception cref="IndexNotFoundException">There is such a name. Nothing is written yet.</exception>
    public void RequireIndexes(Database database)
    {
        if (!Throws)
            return;
        var indexes = database.Attached<DatabaseIndexes>();
        foreach (var name in Names)
        {
            if (indexes?.Find(name) is null)
                throw new IndexNotFoundException(name, database.Name, "It is named by waitForSpecificIndex. Nothing was saved.");
        }
    }

    /// <summary>Waits for the indexes.</summary>
    /// <exception cref="QueryTimeoutException">Time is up, or the database or the server stops, and the batch asked for an error
    /// then.</exception>
    public async Task WaitAsync(RequestContext request, BatchOperation batch)
    {
        var database = request.Database();
        if (database.Attached<DatabaseIndexes>() is not { } indexes)
            return;
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(request.Aborted, database.Closing, request.Server.Ending);
        try
        {
            await WaitAsync(database, indexes, batch, ended.Token);
        }
        catch (Exception end)
            when (end is OperationCanceledException or DatabaseUnavailableException && !request.Aborted.IsCancellationRequested)
        {
            // With 503 a client would send the batch once more.
            if (Throws)
                throw new QueryTimeoutException(
                    $"The batch is saved, but the database '{database.Name}' closes, and its indexes have not caught up with it."
                );
        }
    }

    private async Task WaitAsync(Database database, DatabaseIndexes indexes, BatchOperation batch, CancellationToken cancellation)
    {
        var started = Stopwatch.GetTimestamp();
        foreach (var (index, etag) in Chosen(database, indexes, batch))
        {
            var left = Timeout - Stopwatch.GetElapsedTime(started);
            if (await HasSeenAsync(index, etag, left > TimeSpan.Zero ? left : TimeSpan.Zero, cancellation))
                continue;
            if (!Throws)
                return;
            throw new QueryTimeoutException(
                $"The batch is saved, but the index '{index.Name}' has not caught up with its etag {etag} within "
                    + $"{Timeout.TotalSeconds:0.###} seconds (waitForIndexesTimeout)."
            );
        }
    }

    private List<(Index Index, long Etag)> Chosen(Database database, DatabaseIndexes indexes, BatchOperation batch)
    {
        var collections = CollectionsOf(batch);
        using var documents = database.OpenRead("waiting for indexes");
        return
        [
            .. indexes
                .All.Where(index =>
                    Names.Count > 0 ? Names.Contains(index.Name, StringComparer.OrdinalIgnoreCase) : IsOf(index, collections)
                )
                .Select(index => (index, QueryMoment.LastEtagOf(documents, index.Definition.Collection))),
        ];
    }

    /// <summary>An index that is built beside another one answers no query yet.</summary>
    private static bool IsOf(Index index, HashSet<string>? collections) =>
        !index.Name.StartsWith("ReplacementOf/", StringComparison.OrdinalIgnoreCase)
        && (index.Definition.Collection is not { } collection || collections?.Contains(collection) != false);

    /// <summary>Null for a batch that may have changed any collection.</summary>
    private static HashSet<string>? CollectionsOf(BatchOperation batch)
    {
        var collections = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        foreach (var command in batch.Commands)
        {
            if (command is not PutCommand put)
                return null;
            collections.Add(System.Text.Encoding.UTF8.GetString(put.Collection));
        }
        return collections;
    }

    /// <summary>Who has disabled an index does not wait for it.</summary>
    private static async Task<bool> HasSeenAsync(Index index, long etag, TimeSpan timeout, CancellationToken cancellation)
    {
        try
        {
            return await index.WaitForAsync(etag, timeout, cancellation);
        }
        catch (IndexUnavailableException)
        {
            return true;
        }
    }
}
