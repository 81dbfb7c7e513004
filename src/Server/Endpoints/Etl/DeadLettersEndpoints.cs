using System.Globalization;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.Etl;

/// <summary>What tasks could not send: shown, removed, sent again. See docs/etl.md, "Dead letters".</summary>
internal static class DeadLettersEndpoints
{
    private const int MaxPageSize = 1024;
    private const long MaxWaitSeconds = 300;

    /// <summary>Anybody may write a document into the collection, as deep as documents may be.</summary>
    private static readonly JsonDocumentOptions s_options = new() { MaxDepth = Limits.MaxJsonDepth + 1 };

    public static void Map(Router router) =>
        router
            .Database("GET", "/etl/dead-letters", RequiredRight.DatabaseRead, List)
            .Database("DELETE", "/etl/dead-letters", RequiredRight.DatabaseAdmin, Purge)
            .Database("POST", "/etl/dead-letters/retry", RequiredRight.DatabaseAdmin, Retry);

    private static Task List(RequestContext request)
    {
        var page = request
            .EtlTasks()
            .DeadLetters(
                Filter(request),
                request.Query.NonNegative("start", 0),
                (int)Math.Min(MaxPageSize, request.Query.NonNegative("pageSize", 25))
            );
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Results");
            foreach (var (id, letter) in page.Letters)
            {
                json.WriteStartObject();
                json.WriteString("Id", id);
                using var members = JsonDocument.Parse(letter, s_options);
                foreach (var member in members.RootElement.EnumerateObject())
                    member.WriteTo(json);
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteBoolean("HasMore", page.HasMore);
            json.WriteEndObject();
        });
    }

    private static async Task Purge(RequestContext request)
    {
        var purged = await request.EtlTasks().PurgeDeadLettersAsync(Chosen(request), request.Aborted);
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteNumber("Purged", purged);
            json.WriteEndObject();
        });
    }

    private static async Task Retry(RequestContext request)
    {
        var filter = Chosen(request);
        var wait = TimeSpan.FromSeconds(Math.Min(MaxWaitSeconds, request.Query.NonNegative("waitSeconds", 15)));
        var outcomes = await request.EtlTasks().RetryDeadLettersAsync(filter, request.Query.Flag("asStored"), wait);
        if (outcomes.Count == 0 && filter is not { Id: null, TaskId: null, TaskName: null })
            throw new BadRequestException(
                $"There is no task that could send {(filter.Id is { } id ? $"the dead letter '{id}'" : "them")} again."
            );
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteStartArray("Tasks");
            foreach (var outcome in outcomes)
                Write(json, outcome);
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static void Write(Utf8JsonWriter json, RetryOutcome outcome)
    {
        json.WriteStartObject();
        json.WriteNumber("TaskId", outcome.TaskId);
        json.WriteString("TaskName", outcome.TaskName);
        json.WriteNumber("Settled", outcome.Settled);
        json.WriteNumber("Superseded", outcome.Superseded);
        json.WriteNumber("Failed", outcome.Failed);
        json.WriteBoolean("IsDone", outcome.IsDone);
        json.WriteString("Reason", outcome.Reason);
        json.WriteEndObject();
    }

    /// <summary>One must be named, or a task, or all asked for in so many words: a forgotten parameter must not mean everything.</summary>
    private static DeadLetterFilter Chosen(RequestContext request)
    {
        var filter = Filter(request);
        return filter is { Id: null, TaskId: null, TaskName: null } && !request.Query.Flag("all")
            ? throw new BadRequestException("Say which dead letters are meant: 'id', 'task' or 'all=true'.")
            : filter;
    }

    private static DeadLetterFilter Filter(RequestContext request)
    {
        var task = Given(request, "task");
        long? id = long.TryParse(task, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : null;
        return new DeadLetterFilter
        {
            Id = Given(request, "id"),
            TaskId = id,
            TaskName = id is null ? task : null,
            Transform = Given(request, "transform"),
            State =
                Given(request, "state") is not { } state ? null
                : Enum.TryParse<DeadLetterState>(state, ignoreCase: true, out var known) && Enum.IsDefined(known) ? known
                : throw new BadRequestException(
                    $"The parameter 'state' must be {nameof(DeadLetterState.Dead)} or {nameof(DeadLetterState.Superseded)}, not '{state}'."
                ),
        };
    }

    private static string? Given(RequestContext request, string name) => request.Query[name] is { Length: > 0 } value ? value : null;
}
