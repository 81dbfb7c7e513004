using System.Globalization;
using System.Net;
using System.Text.Json;
using Jackdaw.EventStreams.Client.Errors;
using Jackdaw.EventStreams.Client.Repeating;

namespace Jackdaw.EventStreams.Client.Snapshots;

/// <summary>The server's routes for snapshots, one attempt each.</summary>
internal sealed class SnapshotRoutes(ServerConnection server)
{
    public async Task<bool> SaveAsync(Snapshot snapshot, CancellationToken cancel)
    {
        var query = string.Create(
            CultureInfo.InvariantCulture,
            $"{Texts.StreamQuery(snapshot.Stream)}&number={snapshot.Number}&ticks={snapshot.Ticks}&serializer={snapshot.Serializer}"
        );
        if (snapshot.Manifest.Length > 0)
            query += "&manifest=" + Uri.EscapeDataString(snapshot.Manifest);
        using var content = new ReadOnlyMemoryContent(snapshot.Bytes);
        using var answer = await server.SendAsync(HttpMethod.Put, server.Path("snapshots", query), content, cancel);
        return true;
    }

    public async Task<Snapshot?> LoadAsync(string stream, SnapshotBounds bounds, CancellationToken cancel)
    {
        var path = server.Path("snapshots", Texts.StreamQuery(stream) + bounds.Query());
        using var answer = await server.SendAsync(HttpMethod.Get, path, null, cancel);
        if (answer.Headers.TryGetValues("Database-Id", out var ids))
            server.Met(ids.First());
        if (answer.StatusCode == HttpStatusCode.NoContent)
            return null;
        return new Snapshot
        {
            Stream = stream,
            Number = long.Parse(Header(answer, "Snapshot-Number"), CultureInfo.InvariantCulture),
            Ticks = long.Parse(Header(answer, "Snapshot-Ticks"), CultureInfo.InvariantCulture),
            Serializer = Optional(answer, "Snapshot-Serializer") is { } serializer
                ? int.Parse(serializer, CultureInfo.InvariantCulture)
                : 0,
            Manifest = Uri.UnescapeDataString(Optional(answer, "Snapshot-Manifest") ?? ""),
            Bytes = await answer.Content.ReadAsByteArrayAsync(cancel),
        };
    }

    /// <summary>Returns how many were there.</summary>
    public async Task<long> DeleteAsync(string query, CancellationToken cancel)
    {
        using var answer = await server.SendAsync(HttpMethod.Delete, server.Path("snapshots", query), null, cancel);
        using var json = JsonDocument.Parse(await answer.Content.ReadAsByteArrayAsync(cancel));
        return json.RootElement.GetProperty("deleted").GetInt64();
    }

    private static string Header(HttpResponseMessage answer, string name) =>
        Optional(answer, name) ?? throw new FormatException($"The answer has no header {name}.");

    private static string? Optional(HttpResponseMessage answer, string name) =>
        answer.Headers.TryGetValues(name, out var values) || answer.Content.Headers.TryGetValues(name, out values) ? values.First() : null;
}
