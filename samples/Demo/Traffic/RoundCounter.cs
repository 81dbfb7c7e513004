using System.Text.Json.Nodes;
using Jackdaw.Demo.Setup;

namespace Jackdaw.Demo.Traffic;

/// <summary>The number of the last round, in a document, so that a demo on a folder that stays goes on with new orders.</summary>
internal static class RoundCounter
{
    private const string Id = "demo/rounds";

    /// <summary>Returns the number of the next round, and keeps it.</summary>
    public static async Task<int> NextAsync(JackdawServer server)
    {
        var stored = await server.DocumentAsync(Names.Source, Id);
        var next = 1 + ((int?)stored?["Rounds"] ?? 0);
        await server.PutAsync(Names.Source, Id, "Demo", new JsonObject { ["Rounds"] = next });
        return next;
    }
}
