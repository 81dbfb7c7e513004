using Jackdaw.Documents;
using Jackdaw.Server.Http;
using Jackdaw.Server.Http.WebSockets;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>The WebSocket on which clients are told of changes: docs/changes-api.md.</summary>
internal static class ChangesEndpoints
{
    public static void Map(Router router) => router.Database("GET", "/changes", RequiredRight.DatabaseRead, Open);

    private static Task Open(RequestContext request)
    {
        var database = request.Database();
        WebSocketUpgrade.Require(request);
        var server = request.Server.Changes;
        var changes = database.Attached<DatabaseChanges>() ?? throw new InvalidOperationException("The database has no Changes API.");
        changes.RequireRoom();
        return WebSocketUpgrade.AcceptAsync(request, connection => ChangesConversation.RunAsync(connection, changes, server));
    }
}
