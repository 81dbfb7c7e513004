using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using Jackdaw.Documents.Reading;
using Jackdaw.Server.Endpoints.Operations;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>The messages of the Changes API: docs/changes-api.md.</summary>
internal static class ChangesMessages
{
    private const string PutChange = "Put";
    private const string DeleteChange = "Delete";

    private static readonly JsonWriterOptions s_options = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true,
    };

    /// <summary>The first message: what the server can tell.</summary>
    public static byte[] Features { get; } = """{"TopologyChange":true,"AggressiveCachingChange":true}"""u8.ToArray();

    /// <summary>Cached answers may be old.</summary>
    public static byte[] CacheChange { get; } = """{"Type":"AggressiveCacheChange","Value":{}}"""u8.ToArray();

    /// <summary>A command was carried out.</summary>
    public static byte[] Confirmation(long commandId) =>
        Write(json =>
        {
            json.WriteString("Type"u8, "Confirm"u8);
            json.WriteNumber("CommandId"u8, commandId);
        });

    /// <summary>Something went wrong. One client reads <c>Exception</c>, another <c>Error</c>.</summary>
    public static byte[] Error(string message, long? commandId = null) =>
        Write(json =>
        {
            json.WriteString("Type"u8, "Error"u8);
            json.WriteString("Exception"u8, message);
            json.WriteString("Error"u8, message);
            if (commandId is { } id)
                json.WriteNumber("CommandId"u8, id);
        });

    /// <summary>The client did not read, and notifications were dropped.</summary>
    public static byte[] Lost(long count) =>
        Error(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{count} notifications were lost: this client did not read them in time "
                    + $"(ChangesLimits.MaxQueuedNotifications). Read again what you watch."
            )
        );

    /// <summary>A document was written or deleted.</summary>
    public static byte[] Document(in DocumentChange change)
    {
        var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer, s_options))
        {
            json.WriteStartObject();
            json.WriteString("Type"u8, "DocumentChange"u8);
            json.WriteStartObject("Value"u8);
            json.WriteString("Type"u8, change.IsTombstone ? DeleteChange : PutChange);
            json.WriteString("Id"u8, change.IsTombstone ? change.Tombstone.Id : change.Document.Id);
            json.WriteString("CollectionName"u8, change.IsTombstone ? change.Tombstone.Collection : change.Document.Collection);
            json.WriteString("ChangeVector"u8, change.IsTombstone ? change.Tombstone.ChangeVector : change.Document.ChangeVector);
            json.WriteEndObject();
            json.WriteEndObject();
        }
        return buffer.ToArray();
    }

    /// <summary>An index has changed.</summary>
    public static byte[] Index(string name, string change) =>
        Write(json =>
        {
            json.WriteString("Type"u8, "IndexChange"u8);
            json.WriteStartObject("Value"u8);
            json.WriteString("Type"u8, change);
            json.WriteString("Name"u8, name);
            json.WriteEndObject();
        });

    /// <summary>An operation has gone on, or ended.</summary>
    public static byte[] Operation(long id, OperationState state) =>
        Write(json =>
        {
            json.WriteString("Type"u8, "OperationStatusChange"u8);
            json.WriteStartObject("Value"u8);
            json.WriteNumber("OperationId"u8, id);
            json.WritePropertyName("State"u8);
            OperationStateJson.Write(json, state);
            json.WriteEndObject();
        });

    private static byte[] Write(Action<Utf8JsonWriter> write)
    {
        var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer, s_options))
        {
            json.WriteStartObject();
            write(json);
            json.WriteEndObject();
        }
        return buffer.ToArray();
    }
}
