using Jackdaw.Documents;
using Jackdaw.Indexing.Running;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>What a patch or a deletion by query does while its index has not caught up.</summary>
/// <param name="AreAllowed">It goes ahead with what the index has seen.</param>
/// <param name="Timeout">How long it waits for the index otherwise; null leaves it to the server.</param>
internal readonly record struct StaleAnswers(bool AreAllowed, TimeSpan? Timeout)
{
    /// <summary>Clients send <c>allowStale=</c> for "not said".</summary>
    public static StaleAnswers From(QueryParameters query) =>
        new(
            !string.IsNullOrEmpty(query["allowStale"]) && query.Flag("allowStale"),
            query["staleTimeout"] is { Length: > 0 } text ? QueryTime.Of("staleTimeout", text) : null
        );

    /// <summary>Waits until the index has seen everything that is there now.</summary>
    /// <exception cref="QueryTimeoutException">It has not, when time is up.</exception>
    public async Task WaitAsync(Database database, IndexChoice choice, CancellationToken cancellation)
    {
        if (choice.Index is not { } index || (AreAllowed && !choice.IsNew))
            return;
        long etag;
        using (var documents = database.OpenRead("waiting for an index"))
            etag = QueryMoment.LastEtagOf(documents, index.Definition.Collection);
        var time = Timeout ?? QueryExecution.DefaultWait;
        if (!await index.WaitForAsync(etag, time, cancellation) && !AreAllowed)
            throw new QueryTimeoutException(
                $"The index '{index.Name}' is stale: it has not caught up with the etag {etag} within {time.TotalSeconds:0.###} seconds, "
                    + "and nothing was changed. Wait longer (staleTimeout), or allow stale results (allowStale=true)."
            );
    }
}
