using System.Text.Json;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Index = Jackdaw.Indexing.Processes.Index;

namespace Jackdaw.Server.Endpoints.Indexes;

/// <summary>An index's definition as the protocol has it. Automatic indexes have no source of their own: their map is shown as the
/// query that they answer.</summary>
internal static class IndexDefinitionJson
{
    /// <summary>Writes an IndexDefinition.</summary>
    public static void Write(Utf8JsonWriter json, Index index)
    {
        json.WriteStartObject();
        json.WriteString("Name", index.Name);
        json.WriteString("Type", index.Type);
        json.WriteString("SourceType", "Documents");
        json.WriteString("Priority", index.Priority.ToString());
        json.WriteString("State", index.State.ToString());
        json.WriteString("LockMode", index.LockMode.ToString());
        json.WriteStartArray("Maps");
        json.WriteStringValue(Map(index.Definition));
        json.WriteEndArray();
        json.WriteNull("Reduce");
        json.WriteStartObject("Fields");
        foreach (var field in index.Definition.Fields)
        {
            json.WriteStartObject(field.Path);
            json.WriteString("Storage", "No");
            json.WriteString("Indexing", Indexing(field));
            json.WriteNull("Analyzer");
            json.WriteEndObject();
        }
        json.WriteEndObject();
        WriteEmpty(json);
        json.WriteEndObject();
    }

    /// <summary>Writes the automatic indexes of a database record, by name.</summary>
    public static void WriteAutomatic(Utf8JsonWriter json, DatabaseIndexes? indexes)
    {
        json.WriteStartObject("AutoIndexes");
        foreach (var index in (indexes?.All ?? []).Where(index => index.IsAutomatic))
        {
            json.WriteStartObject(index.Name);
            json.WriteString("Type", index.Type);
            json.WriteString("Name", index.Name);
            json.WriteString("Collection", index.Definition.Collection ?? "@all_docs");
            json.WriteString("Priority", index.Priority.ToString());
            json.WriteString("State", index.State.ToString());
            json.WriteString("LockMode", index.LockMode.ToString());
            json.WriteStartObject("MapFields");
            foreach (var field in index.Definition.Fields)
            {
                json.WriteStartObject(field.Path);
                json.WriteString("Name", field.Path);
                json.WriteString("Storage", "No");
                json.WriteString("Indexing", Indexing(field));
                json.WriteString("Aggregation", "None");
                json.WriteEndObject();
            }
            json.WriteEndObject();
            json.WriteStartObject("GroupByFields");
            json.WriteEndObject();
            json.WriteEndObject();
        }
        json.WriteEndObject();
    }

    /// <summary>The query that finds every field of the index.</summary>
    public static string Map(AutoIndexDefinition definition)
    {
        var fields = definition.Fields.SelectMany(field =>
            new[]
            {
                field is { HasSearch: false, HasExact: false } ? field.Path : null,
                field.HasSearch ? AutoIndexDefinitions.SearchField(field.Path) : null,
                field.HasExact ? AutoIndexDefinitions.ExactField(field.Path) : null,
            }.OfType<string>()
        );
        var select = string.Join(", ", fields);
        return $"from {definition.Collection ?? "@all_docs"}{(select.Length > 0 ? $" select {select}" : "")}";
    }

    private static string Indexing(AutoIndexField field) =>
        (field.HasSearch, field.HasExact) switch
        {
            (true, true) => "Search, Exact",
            (true, false) => "Search",
            (false, true) => "Exact",
            _ => "Default",
        };

    /// <summary>What an automatic index has none of.</summary>
    private static void WriteEmpty(Utf8JsonWriter json)
    {
        foreach (var map in (ReadOnlySpan<string>)["Configuration", "AdditionalSources"])
        {
            json.WriteStartObject(map);
            json.WriteEndObject();
        }
        foreach (var list in (ReadOnlySpan<string>)["AdditionalAssemblies", "CompoundFields"])
        {
            json.WriteStartArray(list);
            json.WriteEndArray();
        }
        foreach (
            var none in (ReadOnlySpan<string>)
                [
                    "OutputReduceToCollection",
                    "ReduceOutputIndex",
                    "PatternForOutputReduceToCollectionReferences",
                    "PatternReferencesCollectionName",
                    "DeploymentMode",
                    "ArchivedDataProcessingBehavior",
                ]
        )
            json.WriteNull(none);
    }
}
