using Jackdaw.Documents;
using Jackdaw.Server.Http;
using Jackdaw.Server.Http.WebSockets;
using Jackdaw.Server.Security;
using Microsoft.AspNetCore.Http.Features;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>The WebSocket on which clients are told of changes: docs/changes-api.md.</summary>
internal static class ChangesEndpoints
{
    public static void Map(Router router) => router.Database("GET", "/changes", RequiredRight.DatabaseRead, Open);

    private static async Task Open(RequestContext request)
    {
        var database = request.Database();
        WebSocketUpgrade.Require(request);
        var server = request.Server.Changes;
        var changes = database.Attached<DatabaseChanges>() ?? throw new InvalidOperationException("The database has no Changes API.");
        changes.RequireRoom();
        await using var stream = await WebSocketUpgrade.AcceptAsync(request);
        // The request's context may be another's when somebody breaks the connection at the last moment; this feature stays.
        var lifetime = request.Http.Features.GetRequiredFeature<IHttpRequestLifetimeFeature>();
        var socket = new ChangesSocket(stream, server.Limits, server.Memory, lifetime.Abort);
        server.NoteOpened();
        try
        {
            changes.Add(socket);
            await new ChangesConversation(stream, socket, changes, server.Limits).RunAsync();
        }
        finally
        {
            socket.Detach();
            changes.Remove(socket);
            server.NoteEnded();
        }
    }
}
