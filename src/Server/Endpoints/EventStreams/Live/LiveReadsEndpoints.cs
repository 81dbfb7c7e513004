using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>Reads of event streams that stay open: docs/event-streams.md, "Live reads".</summary>
internal static class LiveReadsEndpoints
{
    private const string AnotherHistory = "AnotherHistory";

    public static void Map(Router router) =>
        router.Database("GET", "/events/live", RequiredRight.DatabaseRead, MeantDatabase.Required(OpenAsync));

    private static async Task OpenAsync(RequestContext request)
    {
        if (request.IsInner)
            throw new BadRequestException("A live read does not end, so it cannot be one of several requests in a multi_get.");
        var server = request.Server.LiveReads;
        var database = request.Database();
        var live =
            database.Attached<DatabaseLiveReads>() ?? throw new InvalidOperationException("The database has no live reads attached.");
        var selection = Selection(request, server.Limits);
        var durable = database.LastDurableEtag;
        var after = request.Query.NonNegative("after", durable);
        // The request's context may be another's when somebody breaks the connection at the last moment; this feature stays.
        var lifetime = request.Http.Features.GetRequiredFeature<IHttpRequestLifetimeFeature>();
        // How long a client may be slow is this room's matter.
        if (request.Http.Features.Get<IHttpMinResponseDataRateFeature>() is { } rate)
            rate.MinDataRate = null;
        var reader = new LiveReader(selection, Math.Min(after, durable), server.Limits.MaxKeptPositions, lifetime.Abort);
        if (after > durable)
            reader.Finish(
                new LiveEnd(
                    AnotherHistory,
                    $"The position {after} lies beyond the last one of the database '{database.Name}', {durable}: it is of another "
                        + "database, or of another copy of this one. Compare databaseId, and begin anew."
                )
            );
        live.Add(reader);
        server.NoteBegun();
        try
        {
            await using var gone = lifetime.RequestAborted.UnsafeRegister(
                static state =>
                {
                    var (live, reader) = ((DatabaseLiveReads, LiveReader))state!;
                    live.Leave(reader);
                },
                (live, reader)
            );
            request.Http.Response.Headers.CacheControl = "no-store";
            await new LiveAnswer(request, live, reader).RunAsync();
        }
        finally
        {
            live.Remove(reader);
            server.NoteEnded();
        }
    }

    private static LiveSelection Selection(RequestContext request, LiveReadLimits limits)
    {
        var streams = Names(request, "stream");
        var tags = Names(request, "tag");
        if (streams.Length + tags.Length > limits.MaxNamesPerReader)
            throw new BadRequestException(
                $"The live read names {streams.Length + tags.Length:N0} streams and tags; "
                    + $"the limit is {limits.MaxNamesPerReader:N0} (LiveReadLimits.MaxNamesPerReader, fixed)."
            );
        var wakesOnly = request.Query.Flag("wakeOnly");
        var isNamed = request.Query.Flag("named");
        var isEverything = request.Query.Flag("everything");
        if (isNamed && !wakesOnly)
            throw new BadRequestException("The parameter 'named' needs 'wakeOnly': events have their stream and tags themselves.");
        if (isEverything && !isNamed)
            throw new BadRequestException(
                "The parameter 'everything' needs 'wakeOnly' and 'named'. Without streams and tags a live read follows everything."
            );
        return new LiveSelection(streams, tags, wakesOnly, isNamed, isEverything);
    }

    private static string[] Names(RequestContext request, string parameter)
    {
        string[] names = [.. request.Query.All(parameter).Distinct(StringComparer.Ordinal)];
        return names.Contains("") ? throw new BadRequestException($"The parameter '{parameter}' is empty.") : names;
    }
}
