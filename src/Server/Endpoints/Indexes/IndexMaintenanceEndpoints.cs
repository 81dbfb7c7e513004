using Jackdaw.Indexing.Definitions;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Indexes;

/// <summary>An operator's orders to indexes: pausing, disabling, priorities, locks.</summary>
internal static class IndexMaintenanceEndpoints
{
    public static void Map(Router router) =>
        router
            .Database("POST", "/admin/indexes/start", RequiredRight.DatabaseAdmin, request => SetPaused(request, isPaused: false))
            .Database("POST", "/admin/indexes/stop", RequiredRight.DatabaseAdmin, request => SetPaused(request, isPaused: true))
            .Database("POST", "/admin/indexes/enable", RequiredRight.DatabaseAdmin, request => SetDisabledAsync(request, isDisabled: false))
            .Database("POST", "/admin/indexes/disable", RequiredRight.DatabaseAdmin, request => SetDisabledAsync(request, isDisabled: true))
            .Database("POST", "/indexes/set-priority", RequiredRight.DatabaseReadWrite, SetPriorityAsync)
            .Database("POST", "/indexes/set-lock", RequiredRight.DatabaseReadWrite, SetLockModeAsync);

    private static Task SetPaused(RequestContext request, bool isPaused)
    {
        var indexes = request.Indexes();
        if (request.Query["name"] is { Length: > 0 } name)
        {
            if (!(isPaused ? indexes.Pause(name) : indexes.Resume(name)))
                throw request.NoIndex(name);
            return request.SendEmptyAsync(StatusCodes.Status204NoContent);
        }
        switch (request.Query["type"])
        {
            case null or "":
                if (isPaused)
                    indexes.Pause();
                else
                    indexes.Resume();
                break;
            case var kind when kind.Equals("map", StringComparison.OrdinalIgnoreCase):
                foreach (var index in indexes.All)
                    _ = isPaused ? indexes.Pause(index.Name) : indexes.Resume(index.Name);
                break;
            case var kind when kind.Equals("map-reduce", StringComparison.OrdinalIgnoreCase):
                // There are none.
                break;
            case var kind:
                throw new BadRequestException($"The parameter 'type' must be map or map-reduce, not '{kind}'.");
        }
        return request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }

    private static async Task SetDisabledAsync(RequestContext request, bool isDisabled)
    {
        var name = request.Query.Required("name");
        if (!await request.Indexes().SetDisabledAsync(name, isDisabled))
            throw request.NoIndex(name);
        await request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }

    private static async Task SetPriorityAsync(RequestContext request)
    {
        var (names, priority) = await IndexNamesBody.ReadAsync<IndexPriority>(request, "Priority");
        if (await request.Indexes().SetPriorityAsync(names, priority) is { } missing)
            throw request.NoIndex(missing);
        await request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }

    private static async Task SetLockModeAsync(RequestContext request)
    {
        var (names, mode) = await IndexNamesBody.ReadAsync<IndexLockMode>(request, "Mode");
        if (await request.Indexes().SetLockModeAsync(names, mode) is { } missing)
            throw request.NoIndex(missing);
        await request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }
}
