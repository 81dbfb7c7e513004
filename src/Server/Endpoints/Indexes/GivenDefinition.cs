using System.Text.Json;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Indexes;

/// <summary>A definition that a client has sent.</summary>
/// <param name="Name">Of the index.</param>
/// <param name="Maps">Their sources.</param>
/// <param name="Reduce">The source of the reduction; null: none.</param>
internal sealed record GivenDefinition(string Name, IReadOnlyList<string> Maps, string? Reduce)
{
    private static readonly string[] s_starts = ["from", "docs", "timeSeries", "counters"];

    /// <summary>In which language it is, and whether it reduces: for the refusal.</summary>
    public string Kind => $"in {(Maps.All(IsJavaScript) ? "JavaScript" : "C#")}{(Reduce is null ? "" : " with a reduction (map-reduce)")}";

    /// <summary>Reads one.</summary>
    /// <exception cref="BadRequestException">It has no name, or no maps.</exception>
    public static GivenDefinition Read(JsonElement definition)
    {
        if (definition.ValueKind != JsonValueKind.Object)
            throw new BadRequestException("An index definition must be a JSON object.");
        if (TextOf(definition, nameof(Name)) is not { Length: > 0 } name)
            throw new BadRequestException("An index definition must have a Name.");
        if (!definition.TryGetProperty(nameof(Maps), out var maps) || maps.ValueKind != JsonValueKind.Array || maps.GetArrayLength() == 0)
            throw new BadRequestException($"The index definition '{name}' must have Maps, an array of texts.");
        if (maps.EnumerateArray().Any(map => map.ValueKind != JsonValueKind.String))
            throw new BadRequestException($"The Maps of the index definition '{name}' must be texts.");
        return new GivenDefinition(name, [.. maps.EnumerateArray().Select(map => map.GetString()!)], TextOf(definition, nameof(Reduce)));
    }

    /// <summary>The clients send what begins so as C#, and everything else as JavaScript.</summary>
    private static bool IsJavaScript(string map)
    {
        var text = map.TrimStart();
        return !Array.Exists(s_starts, start => text.StartsWith(start, StringComparison.Ordinal))
            || text.StartsWith("timeSeries.map", StringComparison.Ordinal)
            || text.StartsWith("counters.map", StringComparison.Ordinal);
    }

    private static string? TextOf(JsonElement definition, string member) =>
        definition.TryGetProperty(member, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;
}
