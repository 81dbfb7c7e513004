using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
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
/// <remarks>Reads that come while another is under way share one request, and so do batches: handlers of many messages at once cost the
/// server little more than one.</remarks>
public sealed class JackdawDatabase
{
    /// <summary>Reads or batches of different handlers that one request joins at most.</summary>
    internal const int MostJoined = 64;

    /// <summary>Bytes of the batches that one request joins at most.</summary>
    internal const long MostJoinedBytes = 4 << 20;

    private const string Documents = "docs";

    /// <summary>Each answer of a server has it.</summary>
    private const string ServerHeader = "Raven-Server-Version";

    private static readonly MediaTypeHeaderValue s_json = new("application/json", "utf-8");

    private readonly HttpClient _http;
    private readonly string _name;
    private readonly TimeSpan _timeout;
    private readonly JoinedCalls<IReadOnlyList<string>, IReadOnlyList<StoredDocument?>> _reads;
    private readonly JoinedCalls<Batch, bool> _batches;

    /// <summary>A database whose requests take 30 seconds at most.</summary>
    public JackdawDatabase(HttpClient http, string name)
        : this(http, name, TimeSpan.FromSeconds(30)) { }

    /// <summary>A database.</summary>
    /// <param name="http">Leads to the server (<see cref="HttpClient.BaseAddress"/>, with the client's certificate); whoever made it
    /// disposes of it.</param>
    /// <param name="name">The database's name.</param>
    /// <param name="timeout">Of one request with its answer.</param>
    public JackdawDatabase(HttpClient http, string name, TimeSpan timeout)
    {
        (_http, _name, _timeout) = (http, name, timeout);
        _reads = new(MostJoined, long.MaxValue, _ => 0, ReadAsync, IsOfOne);
        _batches = new(MostJoined, MostJoinedBytes, batch => batch.Length, StoreAsync, IsOfOne);
    }

    private string Place => $"The database '{_name}' at {_http.BaseAddress}";

    /// <summary>Reads documents; null for each that is not there.</summary>
    public Task<IReadOnlyList<StoredDocument?>> GetAsync(IReadOnlyList<string> ids, CancellationToken cancel) =>
        _reads.CallAsync(ids, cancel);

    /// <summary>Stores a batch, durably. Throws <see cref="ChangedMeanwhileException"/> when a document is not as the batch demands.
    /// After any other error the batch may have been stored: read again.</summary>
    public Task StoreAsync(Batch batch, CancellationToken cancel)
    {
        ArgumentNullException.ThrowIfNull(batch);
        return _batches.CallAsync(batch, cancel);
    }

    /// <summary>Reads the database's id and ancestors.</summary>
    public async Task<History> HistoryAsync(CancellationToken cancel)
    {
        var its = (await SendAsync<Answers.Statistics>(HttpMethod.Get, "stats", null, cancel))!;
        return new History(its.DatabaseId, its.Ancestors);
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
        var page = (await SendAsync<Answers.EventPage>(HttpMethod.Get, path, null, cancel))!;
        return new StreamPage(
            page.DatabaseId,
            [.. page.Events.Select(its => new SourceEvent(stream, its.Number, its.Position, its.Payload))],
            page.IsEnd
        );
    }

    private async Task<IReadOnlyList<IReadOnlyList<StoredDocument?>>> ReadAsync(
        IReadOnlyList<IReadOnlyList<string>> calls,
        CancellationToken cancel
    )
    {
        var ids = calls.SelectMany(call => call).ToList();
        var body = JsonSerializer.SerializeToUtf8Bytes(new { Ids = ids });
        var answer = await SendAsync<Answers.ForEach<JsonElement?>>(HttpMethod.Post, Documents, body, cancel);
        if (answer is null)
            return [.. calls.Select(call => new StoredDocument?[call.Count])];
        RequireOneEach(answer.Results.Count, ids.Count);
        var read = new Queue<StoredDocument?>(answer.Results.Select(its => its is { } document ? Document(document) : null));
        return [.. calls.Select(call => (IReadOnlyList<StoredDocument?>)[.. call.Select(_ => read.Dequeue())])];
    }

    /// <summary>All of them, or none.</summary>
    private async Task<IReadOnlyList<bool>> StoreAsync(IReadOnlyList<Batch> batches, CancellationToken cancel)
    {
        var body = Batch.ToJson(batches);
        var answer = (await SendAsync<Answers.ForEach<Answers.Stored>>(HttpMethod.Post, "bulk_docs", body, cancel))!;
        RequireOneEach(answer.Results.Count, batches.Sum(batch => batch.Count));
        return new bool[batches.Count];
    }

    /// <summary>The server has something against a document or an id, and says nothing of the others.</summary>
    private static bool IsOfOne(Exception e) =>
        e is ChangedMeanwhileException or MessageFaultException or InfrastructureException { IsOfRequest: true };

    private void RequireOneEach(int results, int count)
    {
        if (results != count)
            throw new InfrastructureException($"{Place} answered {results} results where {count} were asked for.");
    }

    private StoredDocument Document(JsonElement document)
    {
        const string Metadata = "@metadata";
        if (
            document.ValueKind != JsonValueKind.Object
            || !document.TryGetProperty(Metadata, out var metadata)
            || metadata.ValueKind != JsonValueKind.Object
            || !metadata.TryGetProperty("@change-vector", out var changeVector)
            || changeVector.ValueKind != JsonValueKind.String
        )
            throw new InfrastructureException($"{Place} answered what is no document.");
        var members = JsonObject.Create(document)!;
        members.Remove(Metadata);
        return new StoredDocument(members, changeVector.GetString()!);
    }

    /// <summary>Null: there is none of the documents that were asked for.</summary>
    private async Task<T?> SendAsync<T>(HttpMethod method, string path, ReadOnlyMemory<byte>? body, CancellationToken cancel)
        where T : class
    {
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        deadline.CancelAfter(_timeout);
        using var request = new HttpRequestMessage(method, $"databases/{Uri.EscapeDataString(_name)}/{path}");
        if (body is { } json)
            request.Content = new ReadOnlyMemoryContent(json) { Headers = { ContentType = s_json } };
        try
        {
            using var answer = await _http.SendAsync(request, deadline.Token);
            var text = await answer.Content.ReadAsByteArrayAsync(deadline.Token);
            if (answer.IsSuccessStatusCode)
                return JsonSerializer.Deserialize<T>(text, Answers.Options)
                    ?? throw new InfrastructureException($"{Place} answered null to {path.Split('?')[0]}.");
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
            when (e is HttpRequestException or IOException || (e is OperationCanceledException && !cancel.IsCancellationRequested))
        {
            throw new InfrastructureException($"{Place} does not answer: {e.Message}", e);
        }
        catch (JsonException e)
        {
            throw new InfrastructureException($"{Place} answered {path.Split('?')[0]} as no server does: {e.Message}", e);
        }
    }

    /// <summary>What a retry cannot mend is the message's fault; all else is waited out, so that no wrong setting loses messages.</summary>
    private Exception Refused(HttpStatusCode status, string path, byte[] text)
    {
        var words = Encoding.UTF8.GetString(text.AsSpan(0, Math.Min(text.Length, 2000)));
        var what = $"{Place} answered {(int)status} to {path.Split('?')[0]}: {words}";
        return status switch
        {
            // A document is not as it was read; the database is not the one that is meant.
            HttpStatusCode.Conflict or HttpStatusCode.PreconditionFailed => new ChangedMeanwhileException(what),
            HttpStatusCode.RequestEntityTooLarge => new MessageFaultException(what),
            _ => new InfrastructureException(what) { IsOfRequest = (int)status is >= 400 and < 500 },
        };
    }
}
