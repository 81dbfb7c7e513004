using System.Text.Json.Nodes;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>Tasks as they go over the wire.</summary>
internal static class EtlTaskBody
{
    /// <summary>A task with one transform over one collection, from its first document on.</summary>
    public static JsonObject Define(string name, string connection, string brokerType, string script, string collection) =>
        new()
        {
            ["EtlType"] = "Queue",
            ["BrokerType"] = brokerType,
            ["Name"] = name,
            ["ConnectionStringName"] = connection,
            ["Transforms"] = new JsonArray(
                new JsonObject
                {
                    ["Name"] = "all",
                    ["Collections"] = new JsonArray(collection),
                    ["Script"] = script,
                }
            ),
        };

    /// <summary>Likewise, over a connection string.</summary>
    public static JsonObject Define(string name, JsonObject connection, string script, string collection) =>
        Define(name, $"{connection["Name"]}", $"{connection["BrokerType"]}", script, collection);
}
