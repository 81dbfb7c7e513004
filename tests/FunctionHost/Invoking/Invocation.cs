using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.FunctionHost.Apps;

namespace Jackdaw.FunctionHost.Invoking;

/// <summary>
/// What the handler is sent. Of the trigger's value, a text arrives as a JSON text that has a JSON text in it, bytes as Base64, a batch of
/// either as a JSON text that has an array in it. Numbers and texts of the metadata are JSON in a text, too; times and objects are not.
/// Documentation: "Azure Functions custom handlers", section "Request payload".
/// </summary>
internal sealed class Invocation
{
    private const string Context = "sys";

    /// <summary>As the real host escapes.</summary>
    private static readonly JsonSerializerOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private readonly JsonObject _data = [];
    private readonly JsonObject _metadata = [];

    private Invocation(Function function) => Function = function;

    public Function Function { get; }

    /// <summary>An invocation with one message.</summary>
    public static Invocation Of(Function function, ReadOnlySpan<byte> message)
    {
        var invocation = new Invocation(function);
        invocation._data[function.Trigger.Name] = function.Trigger.IsBinary
            ? Convert.ToBase64String(message)
            : Encoded(JsonValue.Create(System.Text.Encoding.UTF8.GetString(message)));
        return invocation;
    }

    /// <summary>An invocation with several messages.</summary>
    public static Invocation Of(Function function, IEnumerable<JsonNode> messages)
    {
        var invocation = new Invocation(function);
        invocation._data[function.Trigger.Name] = Encoded(new JsonArray([.. messages]));
        return invocation;
    }

    /// <summary>An invocation with one message that is not only bytes.</summary>
    public static Invocation Of(Function function, JsonNode message)
    {
        var invocation = new Invocation(function);
        invocation._data[function.Trigger.Name] = function.Trigger.IsBinary ? message : Encoded(message);
        return invocation;
    }

    /// <summary>Adds a number, a text or an array to the metadata.</summary>
    public Invocation With(string name, JsonNode? value)
    {
        if (value is not null)
            _metadata[name] = Encoded(value);
        return this;
    }

    /// <summary>Adds a time to the metadata.</summary>
    public Invocation With(string name, DateTimeOffset? time)
    {
        if (time is { } value)
            _metadata[name] = value.ToString("yyyy-MM-ddTHH:mm:sszzz", System.Globalization.CultureInfo.InvariantCulture);
        return this;
    }

    /// <summary>Adds an object to the metadata.</summary>
    public Invocation With(string name, JsonObject value)
    {
        _metadata[name] = value;
        return this;
    }

    /// <summary>The request's body, in UTF-8.</summary>
    public ReadOnlyMemory<byte> ToJson()
    {
        _metadata[Context] = new JsonObject
        {
            ["MethodName"] = Function.Name,
            ["UtcNow"] = DateTime.UtcNow,
            ["RandGuid"] = Guid.NewGuid().ToString(),
        };
        var output = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(output, new JsonWriterOptions { Encoder = s_options.Encoder });
        json.WriteStartObject();
        json.WritePropertyName("Data");
        _data.WriteTo(json);
        json.WritePropertyName("Metadata");
        _metadata.WriteTo(json);
        json.WriteEndObject();
        json.Flush();
        return output.WrittenMemory;
    }

    private static string Encoded(JsonNode value) => value.ToJsonString(s_options);
}
