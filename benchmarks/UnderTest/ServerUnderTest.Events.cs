using System.Net.Http.Json;
using System.Text.Json;

namespace Jackdaw.Bench.UnderTest;

/// <summary>Event streams.</summary>
internal sealed partial class ServerUnderTest
{
    /// <summary>Where events are appended.</summary>
    public static string EventsPath => $"/databases/{Database}/events";

    /// <summary>The highest position that is durable. Where nothing else writes, each event is one.</summary>
    public async Task<long> DurablePositionAsync(CancellationToken cancel)
    {
        JsonElement answer = await _http.GetFromJsonAsync<JsonElement>($"{EventsPath}/all?after={long.MaxValue - 1}&max=1", cancel);
        return answer.GetProperty("durable").GetInt64();
    }

    /// <summary>Appends; requires that each group is stored.</summary>
    public async Task AppendAsync(HttpContent groups, CancellationToken cancel)
    {
        using HttpResponseMessage answer = await _http.PostAsync(EventsPath, groups, cancel);
        await CheckAsync(answer, cancel);
        JsonElement outcomes = await answer.Content.ReadFromJsonAsync<JsonElement>(cancel);
        foreach (JsonElement group in outcomes.GetProperty("groups").EnumerateArray())
        {
            if (group.GetProperty("outcome").GetString() != "stored")
                throw new IOException($"a group was not stored: {group}");
        }
    }

    /// <summary>Requires that a read of events gives so many.</summary>
    public async Task RequireEventsAsync(string pathAndQuery, int expected, CancellationToken cancel)
    {
        JsonElement answer = await _http.GetFromJsonAsync<JsonElement>(pathAndQuery, cancel);
        int count = answer.GetProperty("events").GetArrayLength();
        if (count != expected)
            throw new IOException($"{pathAndQuery}: {count} events where {expected} were expected");
    }

    /// <summary>A live read that stays open: its lines as they come.</summary>
    /// <param name="filter">Behind the question mark: streams, tags.</param>
    /// <param name="cancel">Ends the request, and every read of the answer.</param>
    public async Task<Stream> OpenLiveAsync(string filter, CancellationToken cancel)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, $"{EventsPath}/live?{filter}");
        HttpResponseMessage answer = await _http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancel);
        await CheckAsync(answer, cancel);
        return await answer.Content.ReadAsStreamAsync(cancel);
    }

    /// <summary>Uploads a snapshot in place of the one before.</summary>
    public async Task PutSnapshotAsync(HttpContent snapshot, CancellationToken cancel)
    {
        using HttpResponseMessage answer = await _http.PutAsync($"/databases/{Database}/snapshots?stream=large&number=1", snapshot, cancel);
        await CheckAsync(answer, cancel);
    }

    /// <summary>Records and bytes that the database's journal has taken since it was opened.</summary>
    public async Task<(long Records, long Bytes)> JournalAsync(CancellationToken cancel)
    {
        JsonElement storage = await _http.GetFromJsonAsync<JsonElement>($"/databases/{Database}/debug/storage", cancel);
        return (storage.GetProperty("JournalRecords").GetInt64(), storage.GetProperty("JournalBytesAppended").GetInt64());
    }
}
