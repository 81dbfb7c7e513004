using Jackdaw.Documents;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Jackdaw.Server.Endpoints.Operations;

/// <summary>Long operations: their ids, their state, their end before time: bulk inserts, patches and deletions by query.</summary>
internal static class OperationsEndpoints
{
    public static void Map(Router router) =>
        router
            .Database("GET", "/operations/next-operation-id", RequiredRight.DatabaseRead, NextId)
            .Database("GET", "/operations/state", RequiredRight.DatabaseRead, State)
            .Database("POST", "/operations/kill", RequiredRight.DatabaseReadWrite, Kill);

    private static Task NextId(RequestContext request)
    {
        var id = request.Server.Operations.NextId(request.Database().Id);
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("Id", id);
            json.WriteString("NodeTag", request.Server.NodeTag);
            json.WriteEndObject();
        });
    }

    private static Task State(RequestContext request) =>
        Find(request) is { } operation
            ? request.SendJsonAsync(json => OperationStateJson.Write(json, operation.State))
            : request.SendEmptyAsync(StatusCodes.Status404NotFound);

    private static Task Kill(RequestContext request)
    {
        if (Find(request) is not { } operation)
            return request.SendEmptyAsync(StatusCodes.Status404NotFound);
        operation.Kill();
        return request.SendEmptyAsync(StatusCodes.Status204NoContent);
    }

    private static TrackedOperation? Find(RequestContext request)
    {
        Database database = request.Database();
        request.Query.Required("id");
        return request.Server.Operations.Find(request.Query.NonNegative("id", 0), database.Id);
    }
}
