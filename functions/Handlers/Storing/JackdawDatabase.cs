using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Functions.Handlers.Histories;
using Jackdaw.Functions.Handlers.Messages;

namespace Jackdaw.Functions.Handlers.Storing;

/// <summary>
/// One database of a Jackdaw server, over HTTP: what handlers need of it. Thread-safe. Every method throws
/// <see cref="InfrastructureException"/> when the server cannot be reached in time or refuses.
/// </summary>
/// <param name="http">Leads to the server (<see cref="HttpClient.BaseAddress"/>, with the client's certificate); whoever made it disposes
/// of it.</param>
/// <param name="name">The database.</param>
/// <param name="timeout">Of one request with its answer.</param>
public sealed class JackdawDatabase(HttpClient http, string name, TimeSpan timeout)
{
    private const string Documents = "docs";

    /// <summary>Each answer of a server has it.</summary>
    private const string ServerHeader = "Raven-Server-Version";

    /// <summary>A database whose requests take 30 seconds at most.</summary>
    public JackdawDatabase(HttpClient http, string name)
        : this(http, name, TimeSpan.FromSeconds(30)) { }

    /// <summary>Reads documents; null for each that is not there.</summary>
    public async Task<IReadOnlyList<StoredDocument?>> GetAsync(IReadOnlyList<string> ids, CancellationToken cancel)
    {
        var body = new JsonObject { ["Ids"] = new JsonArray([.. ids.Select(id => JsonValue.Create(id))]) };
        using var answer = await SendAsync(HttpMethod.Post, Documents, body.ToJsonString(), cancel);
        if (answer is null)
            return new StoredDocument?[ids.Count];
        return
        [
            .. answer
                .RootElement.GetProperty("Results")
                .EnumerateArray()
                .Select(document => document.ValueKind == JsonValueKind.Object ? Document(document) : null),
        ];
    }

    /// <summary>Stores a batch, durably. Throws <see cref="ChangedMeanwhileException"/> when a document is not as the batch demands.
    /// After any other error the batch may have been stored: read again.</summary>
    public async Task StoreAsync(Batch batch, CancellationToken cancel)
    {
        ArgumentNullException.ThrowIfNull(batch);
        using var _ = await SendAsync(HttpMethod.Post, "bulk_docs", batch.ToJson(), cancel);
    }

    /// <summary>Reads the database's id and ancestors.</summary>
    public async Task<History> HistoryAsync(CancellationToken cancel)
    {
        using var answer = await SendAsync(HttpMethod.Get, "stats", null, cancel);
        var statistics = answer!.RootElement;
        return new History(
            statistics.GetProperty("DatabaseId").GetString()!,
            [
                .. statistics
                    .GetProperty("Ancestors")
                    .EnumerateArray()
                    .Select(ancestor => new Ancestor(
                        ancestor.GetProperty("DatabaseId").GetString()!,
                        ancestor.GetProperty("Etag").GetInt64()
                    )),
            ]
        );
    }

    /// <summary>Reads events of a stream from a number on. Throws <see cref="ChangedMeanwhileException"/> when the database is not the one
    /// that is meant any more.</summary>
    /// <param name="stream">The exact stream id.</param>
    /// <param name="from">The first number.</param>
    /// <param name="max">Events at most.</param>
    /// <param name="databaseId">The database that is meant.</param>
    /// <param name="cancel">Ends the request.</param>
    public async Task<StreamPage> ReadStreamAsync(string stream, long from, int max, string databaseId, CancellationToken cancel)
    {
        var path = string.Create(
            CultureInfo.InvariantCulture,
            $"events?stream={Uri.EscapeDataString(stream)}&from={from}&max={max}&databaseId={Uri.EscapeDataString(databaseId)}"
        );
        using var answer = await SendAsync(HttpMethod.Get, path, null, cancel);
        var page = answer!.RootElement;
        return new StreamPage(
            page.GetProperty("databaseId").GetString()!,
            [
                .. page.GetProperty("events")
                    .EnumerateArray()
                    .Select(its => new SourceEvent(
                        stream,
                        its.GetProperty("number").GetInt64(),
                        its.GetProperty("position").GetInt64(),
                        its.TryGetProperty("payload", out var payload) ? payload.Clone() : default
                    )),
            ],
            page.GetProperty("isEnd").GetBoolean()
        );
    }

    private static StoredDocument Document(JsonElement document)
    {
        var members = JsonObject.Create(document.Clone())!;
        var changeVector = (string)members["@metadata"]!["@change-vector"]!;
        members.Remove("@metadata");
        return new StoredDocument(members, changeVector);
    }

    /// <summary>Null: there is none of the documents that were asked for.</summary>
    private async Task<JsonDocument?> SendAsync(HttpMethod method, string path, string? body, CancellationToken cancel)
    {
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        deadline.CancelAfter(timeout);
        using var request = new HttpRequestMessage(method, $"databases/{Uri.EscapeDataString(name)}/{path}");
        if (body is not null)
            request.Content = new StringContent(body, Encoding.UTF8, "application/json");
        try
        {
            using var answer = await http.SendAsync(request, deadline.Token);
            var text = await answer.Content.ReadAsByteArrayAsync(deadline.Token);
            if (answer.IsSuccessStatusCode)
                return JsonDocument.Parse(text);
            // The server has none of the documents. A missing database, and a proxy in front, answer otherwise.
            if (
                answer.StatusCode == HttpStatusCode.NotFound
                && text.Length == 0
                && path == Documents
                && answer.Headers.Contains(ServerHeader)
            )
                return null;
            throw Refused(answer.StatusCode, path, text);
        }
        catch (Exception e)
            when (e is HttpRequestException or IOException or JsonException
                || (e is OperationCanceledException && !cancel.IsCancellationRequested)
            )
        {
            throw new InfrastructureException($"The database '{name}' at {http.BaseAddress} does not answer: {e.Message}", e);
        }
    }

    /// <summary>What a retry cannot mend is the message's fault; all else is waited out, so that no wrong setting loses messages.</summary>
    private Exception Refused(HttpStatusCode status, string path, byte[] text)
    {
        var words = Encoding.UTF8.GetString(text.AsSpan(0, Math.Min(text.Length, 2000)));
        var what = $"The database '{name}' at {http.BaseAddress} answered {(int)status} to {path.Split('?')[0]}: {words}";
        return status switch
        {
            // A document is not as it was read; the database is not the one that is meant.
            HttpStatusCode.Conflict or HttpStatusCode.PreconditionFailed => new ChangedMeanwhileException(what),
            HttpStatusCode.RequestEntityTooLarge => new MessageFaultException(what),
            _ => new InfrastructureException(what),
        };
    }
}
