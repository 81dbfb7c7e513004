using System.Net.Http.Json;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Jackdaw.Bench.UnderTest;

/// <summary>Tasks and connection strings.</summary>
internal sealed partial class ServerUnderTest
{
    private static readonly TimeSpan LookInterval = TimeSpan.FromMilliseconds(50);

    public async Task PutConnectionAsync(JsonObject connection, CancellationToken cancel)
    {
        using HttpResponseMessage answer = await _http.PutAsJsonAsync(
            $"/databases/{Database}/admin/connection-strings",
            connection,
            cancel
        );
        await CheckAsync(answer, cancel);
    }

    /// <summary>Returns its id.</summary>
    public async Task<long> PutTaskAsync(JsonObject task, CancellationToken cancel)
    {
        using HttpResponseMessage answer = await _http.PutAsJsonAsync($"/databases/{Database}/admin/etl", task, cancel);
        await CheckAsync(answer, cancel);
        return (await answer.Content.ReadFromJsonAsync<JsonElement>(cancel)).GetProperty("TaskId").GetInt64();
    }

    public async Task DeleteTaskAsync(long id, CancellationToken cancel)
    {
        using HttpResponseMessage answer = await _http.DeleteAsync($"/databases/{Database}/admin/tasks?id={id}&type=QueueEtl", cancel);
        await CheckAsync(answer, cancel);
    }

    /// <summary>Waits until a task has sent so many messages and rests.</summary>
    /// <exception cref="IOException">It stopped, or made dead letters.</exception>
    public async Task WaitForMessagesAsync(long id, long messages, CancellationToken cancel)
    {
        while (true)
        {
            JsonElement task = await TaskAsync(id, cancel);
            string state = task.GetProperty("State").GetString()!;
            if (task.GetProperty("DeadLetters").GetInt64() > 0 || state is not ("Running" or "Idle" or "Waiting"))
                throw new IOException($"the task is {state}: {task}");
            if (state == "Idle" && task.GetProperty("Messages").GetInt64() >= messages)
                return;
            await Task.Delay(LookInterval, cancel);
        }
    }

    /// <summary>Changes that the task's first transform has still before it.</summary>
    public async Task<long> EtagsBehindAsync(long id, CancellationToken cancel) =>
        (await TaskAsync(id, cancel)).GetProperty("Transforms")[0].GetProperty("EtagsBehind").GetInt64();

    private async Task<JsonElement> TaskAsync(long id, CancellationToken cancel)
    {
        JsonElement status = await _http.GetFromJsonAsync<JsonElement>($"/databases/{Database}/etl/status", cancel);
        return status.GetProperty("Tasks").EnumerateArray().First(task => task.GetProperty("TaskId").GetInt64() == id);
    }
}
