using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.DeadLetters;

/// <summary>A dead letter as it lies in the database, copied. Immutable.</summary>
internal sealed class StoredDeadLetter
{
    // Anybody may write a document into the collection, as deep as documents may be.
    private static readonly JsonDocumentOptions s_options = new() { MaxDepth = Limits.MaxJsonDepth + 1 };

    private readonly byte[] _json;

    private StoredDeadLetter(string id, string changeVector, long letterEtag, byte[] json)
    {
        Id = id;
        ChangeVector = changeVector;
        LetterEtag = letterEtag;
        _json = json;
    }

    /// <summary>Of its document.</summary>
    public string Id { get; }

    /// <summary>Of its document, not of the change.</summary>
    public string ChangeVector { get; }

    /// <summary>Of its document, not of the change.</summary>
    public long LetterEtag { get; }

    public required long TaskId { get; init; }

    public required string Task { get; init; }

    public required string Transform { get; init; }

    /// <summary>The change that failed.</summary>
    public required ChangeOrigin Origin { get; init; }

    /// <summary>The message's number; 0 when the script failed.</summary>
    public required int Number { get; init; }

    public required DeadLetterState State { get; init; }

    public required int Attempts { get; init; }

    /// <summary>The message as it was; null when the script failed or its data was too large to be kept.</summary>
    public required OutboundMessage? Message { get; init; }

    /// <summary>See <see cref="DeadLetter.RetriesItself"/>.</summary>
    public required bool RetriesItself { get; init; }

    /// <summary>The document without metadata: a JSON object in UTF-8.</summary>
    public ReadOnlyMemory<byte> Json => _json;

    /// <summary>
    /// Is the document a dead letter that was written because another dead letter could not be sent? No task reads those: a task
    /// over the dead letters that fails would feed itself for ever.
    /// </summary>
    public static bool IsOfDeadLetter(in Document document)
    {
        if (!document.Collection.SequenceEqual("@dead-letters"u8))
            return false;
        using var parsed = JsonDocument.Parse(document.Body.ToArray(), s_options);
        return TextOf(parsed.RootElement, "Collection") == DeadLetter.Collection;
    }

    /// <summary>Null when the document is none that a task has written.</summary>
    public static StoredDeadLetter? Read(in Document document)
    {
        byte[] json = document.Body.ToArray();
        using var parsed = JsonDocument.Parse(json, s_options);
        var members = parsed.RootElement;
        if (
            NumberOf(members, "TaskId") is not { } taskId
            || NumberOf(members, "Number") is not { } number
            || NumberOf(members, "Etag") is not { } etag
            || TextOf(members, "Transform") is not { } transform
            || TextOf(members, "DocumentId") is not { } documentId
            || TextOf(members, "ChangeVector") is not { } changeVector
            || number is < 0 or > EtlLimits.MaxMessagesPerDocument
        )
        {
            return null;
        }
        var origin = new ChangeOrigin(
            documentId,
            TextOf(members, "Collection") ?? "",
            changeVector,
            etag,
            members.TryGetProperty("IsDeletion", out var deletion) && deletion.ValueKind == JsonValueKind.True
        )
        {
            LastModifiedTicks = Ticks(TextOf(members, "LastModified") ?? TextOf(members, "At")),
            StreamId = TextOf(members, "StreamId"),
        };
        return new StoredDeadLetter(
            Encoding.UTF8.GetString(document.Id),
            Encoding.UTF8.GetString(document.ChangeVector),
            document.Etag,
            json
        )
        {
            TaskId = taskId,
            Task = TextOf(members, "Task") ?? "",
            Transform = transform,
            Origin = origin,
            Number = (int)number,
            State = Enum.TryParse<DeadLetterState>(TextOf(members, "State"), out var state) ? state : DeadLetterState.Dead,
            RetriesItself = members.TryGetProperty(nameof(RetriesItself), out var retries) && retries.ValueKind == JsonValueKind.True,
            Attempts = (int)Math.Clamp(NumberOf(members, "Attempts") ?? 0, 0, int.MaxValue / 2),
            Message = number == 0 ? null : MessageOf(members, origin, (int)number),
        };
    }

    /// <summary>The document when its task has retried it by itself.</summary>
    public byte[] WithoutOwnRetry() => With(_ => { });

    /// <summary>The document when such a retry was given up before its messages were settled.</summary>
    public byte[] WithOwnRetry() => With(members => members[nameof(RetriesItself)] = true);

    /// <summary>The document after one more failure.</summary>
    public byte[] FailedAgain(string reason, DateTimeOffset now) =>
        With(members =>
        {
            members["Reason"] = reason;
            members[nameof(Attempts)] = Attempts + 1;
            members["At"] = now.UtcDateTime;
            members[nameof(State)] = nameof(DeadLetterState.Dead);
        });

    /// <summary>The document once it is known that it need not be sent any more.</summary>
    public byte[] Superseded(string why, DateTimeOffset now) =>
        With(members =>
        {
            members[nameof(State)] = nameof(DeadLetterState.Superseded);
            members["SupersededBy"] = why;
            members["SupersededAt"] = now.UtcDateTime;
        });

    private byte[] With(Action<JsonObject> change)
    {
        // Member by member: a document that was edited may have one twice, which a parsed object does not bear.
        using var former = JsonDocument.Parse(_json, s_options);
        var members = new JsonObject();
        foreach (var member in former.RootElement.EnumerateObject())
            members[member.Name] = JsonNode.Parse(member.Value.GetRawText(), documentOptions: s_options);
        // Whatever is done with it now, nothing is left to be done by itself.
        members.Remove(nameof(RetriesItself));
        change(members);
        members["@metadata"] = new JsonObject { ["@collection"] = DeadLetter.Collection };
        return Encoding.UTF8.GetBytes(members.ToJsonString());
    }

    private static OutboundMessage? MessageOf(JsonElement members, ChangeOrigin origin, int number)
    {
        string? payload = TextOf(members, "Payload");
        bool isWhole = payload is not null || NumberOf(members, "PayloadBytes") == 0;
        if (
            !isWhole
            || TextOf(members, "Target") is not { } target
            || TextOf(members, "MessageId") is not { } messageId
            || !members.TryGetProperty("Event", out var attributes)
            || attributes.ValueKind != JsonValueKind.Object
        )
        {
            return null;
        }
        return new OutboundMessage
        {
            Target = target,
            RoutingKey = TextOf(members, "RoutingKey"),
            Event = new CloudEvent
            {
                Id = messageId,
                Source = TextOf(attributes, "Source") ?? "",
                Type = TextOf(attributes, "Type") ?? CloudEvent.PutType,
                Subject = TextOf(attributes, "Subject") ?? origin.OrderedBy,
                Time = TextOf(attributes, "Time") ?? "",
                PartitionKey = TextOf(attributes, "PartitionKey") ?? origin.OrderedBy,
                DataSchema = TextOf(attributes, "DataSchema"),
                DatabaseId = TextOf(attributes, "DatabaseId"),
                TraceParent = TextOf(attributes, "TraceParent"),
            },
            Data = payload is null ? default : Encoding.UTF8.GetBytes(payload),
            Origin = origin,
            Number = number,
        };
    }

    private static string? TextOf(JsonElement members, string name)
    {
        if (!members.TryGetProperty(name, out var value) || value.ValueKind != JsonValueKind.String)
            return null;
        try
        {
            return value.GetString();
        }
        catch (InvalidOperationException)
        {
            // An escape of half a surrogate pair, written by hand.
            return null;
        }
    }

    private static long? NumberOf(JsonElement members, string name) =>
        members.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out long number)
            ? number
            : null;

    private static long Ticks(string? date) =>
        DateTimeOffset.TryParse(date, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var time) ? time.UtcTicks : 0;
}
