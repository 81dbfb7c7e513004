using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Jackdaw.Functions.Handlers.Storing;

/// <summary>Changes of documents that are stored together or not at all.</summary>
public sealed class Batch
{
    private const string Metadata = "@metadata";

    /// <summary>Fewer escapes: no browser reads it.</summary>
    private static readonly JsonWriterOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>With commas between them.</summary>
    private readonly ArrayBufferWriter<byte> _commands = new();

    /// <summary>Its commands.</summary>
    internal int Count { get; private set; }

    /// <summary>Bytes of its commands.</summary>
    internal long Length => _commands.WrittenCount;

    /// <summary>Stores a document, whatever is there.</summary>
    public Batch Put(string id, string collection, JsonObject members) => Add(id, null, collection, members);

    /// <summary>Stores a document only while it is as it was read; null: only while there is none.</summary>
    public Batch PutIfUnchanged(string id, string collection, JsonObject members, StoredDocument? asRead) =>
        Add(id, asRead?.ChangeVector ?? "", collection, members);

    /// <summary>Deletes a document; does nothing where there is none.</summary>
    public Batch Delete(string id) => Add("DELETE", id, null, _ => { });

    /// <summary>Adds the changes of another batch.</summary>
    internal void Add(Batch other)
    {
        if (Count > 0 && other.Count > 0)
            _commands.Write(","u8);
        _commands.Write(other._commands.WrittenSpan);
        Count += other.Count;
    }

    /// <summary>The changes of all batches, to be stored together or not at all: JSON in UTF-8.</summary>
    internal static ReadOnlyMemory<byte> ToJson(IReadOnlyList<Batch> batches)
    {
        var all = new Batch();
        all._commands.Write("{\"Commands\":["u8);
        foreach (var batch in batches)
            all.Add(batch);
        all._commands.Write("]}"u8);
        return all._commands.WrittenMemory;
    }

    private Batch Add(string id, string? changeVector, string collection, JsonObject members) =>
        Add(
            "PUT",
            id,
            changeVector,
            json =>
            {
                json.WriteStartObject("Document");
                foreach (var (name, value) in members)
                {
                    if (name == Metadata)
                        continue;
                    json.WritePropertyName(name);
                    if (value is null)
                        json.WriteNullValue();
                    else
                        value.WriteTo(json);
                }
                json.WriteStartObject(Metadata);
                json.WriteString("@collection", collection);
                json.WriteEndObject();
                json.WriteEndObject();
            }
        );

    private Batch Add(string type, string id, string? changeVector, Action<Utf8JsonWriter> more)
    {
        if (Count++ > 0)
            _commands.Write(","u8);
        using var json = new Utf8JsonWriter(_commands, s_options);
        json.WriteStartObject();
        json.WriteString("Type", type);
        json.WriteString("Id", id);
        json.WriteString("ChangeVector", changeVector);
        more(json);
        json.WriteEndObject();
        return this;
    }
}
