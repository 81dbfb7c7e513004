using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Server.Http;
using Jackdaw.Server.Security;

namespace Jackdaw.Server.Endpoints.EventStreams;

/// <summary>Event streams: docs/event-streams.md, "HTTP".</summary>
internal static class EventStreamsEndpoints
{
    public static void Map(Router router) =>
        router
            .Database("POST", "/events", RequiredRight.DatabaseReadWrite, MeantDatabase.Required(Append))
            .Database("GET", "/events", RequiredRight.DatabaseRead, MeantDatabase.Required(EventsPage.SendStreamAsync))
            .Database("DELETE", "/events", RequiredRight.DatabaseReadWrite, MeantDatabase.Required(Delete))
            .Database("GET", "/events/highest", RequiredRight.DatabaseRead, MeantDatabase.Required(Highest))
            .Database("GET", "/events/streams", RequiredRight.DatabaseRead, MeantDatabase.Required(StreamsPage.SendAsync))
            .Database("GET", "/events/all", RequiredRight.DatabaseRead, MeantDatabase.Required(EventsPage.SendAllAsync))
            .Database("GET", "/events/tagged", RequiredRight.DatabaseRead, MeantDatabase.Required(EventsPage.SendTaggedAsync));

    /// <summary>The stream that the query names, as its exact bytes.</summary>
    /// <exception cref="BadRequestException">It is missing or too long.</exception>
    public static byte[] StreamId(RequestContext request) => Text(request.Query.Required("stream"), "stream");

    /// <summary>The bytes of a text of the query.</summary>
    /// <exception cref="BadRequestException">They are too many.</exception>
    public static byte[] Text(string text, string name)
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        return bytes.Length <= Limits.MaxEventTextBytes
            ? bytes
            : throw new BadRequestException(
                $"The parameter '{name}' has {bytes.Length:N0} bytes; the limit is {Limits.MaxEventTextBytes:N0} (fixed)."
            );
    }

    private static async Task Append(RequestContext request)
    {
        var database = request.Database();
        using var body = await RequestBody.ReadAsync(request);
        var append = new AppendOperation(database.Limits) { Trace = request.Trace(database) };
        AppendBody.Parse(body.Bytes, append);
        append.Complete();
        await database.SubmitAsync(append);
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteString("databaseId"u8, database.IdText);
            json.WriteStartArray("groups"u8);
            foreach (var group in append.Groups)
            {
                json.WriteStartObject();
                json.WriteString("outcome"u8, Name(group.Outcome));
                json.WriteNumber("highest"u8, group.Highest);
                if (group.LastPosition > 0)
                    json.WriteNumber("lastPosition"u8, group.LastPosition);
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteEndObject();
        });
    }

    private static async Task Delete(RequestContext request)
    {
        var database = request.Database();
        request.Query.Required("to");
        var deletion = new DeleteEventsOperation(StreamId(request), request.Query.NonNegative("to", 0)) { Trace = request.Trace(database) };
        await database.SubmitAsync(deletion);
        await request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteString("databaseId"u8, database.IdText);
            json.WriteNumber("deletedUpTo"u8, deletion.DeletedUpTo);
            json.WriteNumber("highest"u8, deletion.Highest);
            json.WriteEndObject();
        });
    }

    private static Task Highest(RequestContext request)
    {
        var database = request.Database();
        var id = StreamId(request);
        StoredStream stream;
        using (var reader = database.OpenRead("GET /events/highest"))
        using (var events = new EventStreamsReader(reader))
            events.TryGetStream(id, out stream);
        return request.SendJsonAsync(json =>
        {
            json.WriteStartObject();
            json.WriteString("databaseId"u8, database.IdText);
            json.WriteNumber("highest"u8, stream.Highest);
            json.WriteNumber("deletedUpTo"u8, stream.DeletedUpTo);
            json.WriteEndObject();
        });
    }

    private static ReadOnlySpan<byte> Name(AppendOutcome outcome) =>
        outcome switch
        {
            AppendOutcome.Stored => "stored"u8,
            AppendOutcome.Fenced => "fenced"u8,
            AppendOutcome.Conflict => "conflict"u8,
            AppendOutcome.Duplicate => "duplicate"u8,
            AppendOutcome.TooLarge => "too-large"u8,
            _ => throw new InvalidOperationException($"An outcome {outcome} has no name."),
        };
}
