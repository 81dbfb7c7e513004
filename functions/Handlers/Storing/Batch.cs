using System.Text.Json.Nodes;

namespace Jackdaw.Functions.Handlers.Storing;

/// <summary>Changes of documents that are stored together or not at all.</summary>
public sealed class Batch
{
    private readonly List<string> _commands = [];

    /// <summary>Stores a document, whatever is there.</summary>
    public Batch Put(string id, string collection, JsonObject members) => Add("PUT", id, null, collection, members);

    /// <summary>Stores a document only while it is as it was read; null: only while there is none.</summary>
    public Batch PutIfUnchanged(string id, string collection, JsonObject members, StoredDocument? asRead) =>
        Add("PUT", id, asRead?.ChangeVector ?? "", collection, members);

    /// <summary>Deletes a document; does nothing where there is none.</summary>
    public Batch Delete(string id)
    {
        _commands.Add(
            new JsonObject
            {
                ["Type"] = "DELETE",
                ["Id"] = id,
                ["ChangeVector"] = null,
            }.ToJsonString()
        );
        return this;
    }

    /// <summary>Its commands.</summary>
    internal int Count => _commands.Count;

    /// <summary>Characters of its commands.</summary>
    internal long Length => _commands.Sum(command => (long)command.Length);

    /// <summary>The changes of all batches, to be stored together or not at all.</summary>
    internal static string ToJson(IReadOnlyList<Batch> batches) =>
        $$"""{"Commands":[{{string.Join(',', batches.SelectMany(batch => batch._commands))}}]}""";

    private Batch Add(string type, string id, string? changeVector, string collection, JsonObject members)
    {
        var document = (JsonObject)members.DeepClone();
        document["@metadata"] = new JsonObject { ["@collection"] = collection };
        _commands.Add(
            new JsonObject
            {
                ["Type"] = type,
                ["Id"] = id,
                ["ChangeVector"] = changeVector,
                ["Document"] = document,
            }.ToJsonString()
        );
        return this;
    }
}
