using System.Text.Json;

namespace Jackdaw.Acceptance.Indexes;

/// <summary>A document of the tests of indexes, as its writer made it; what queries look at is drawn from few values.</summary>
internal sealed record IndexedDocument(string Collection, string Name, double? Total, IReadOnlyList<string>? Tags, string Note, string City)
{
    public static readonly string[] Collections = ["Orders", "Users", "People"];
    public static readonly string[] Names = ["Ann", "bob", "Carla", "Dörte", "Émile", "İda"];
    public static readonly string[] AllTags = ["red", "Green", "blue", "black"];
    public static readonly string[] Words = ["apple", "pear", "plum", "fig", "grape"];
    public static readonly string[] Cities = ["Bern", "Basel", "Chur"];

    public static IndexedDocument Some(Random random) =>
        new(
            Collections[random.Next(Collections.Length)],
            Names[random.Next(Names.Length)],
            random.Next(8) == 0 ? null : random.Next(400) / 4.0,
            random.Next(6) == 0 ? null : [.. AllTags.Where(_ => random.Next(3) == 0)],
            string.Join(' ', Enumerable.Range(0, random.Next(4)).Select(_ => Words[random.Next(Words.Length)])),
            Cities[random.Next(Cities.Length)]
        );

    public string ToJson()
    {
        var members = new Dictionary<string, object?>
        {
            ["Name"] = Name,
            ["Note"] = Note,
            ["Address"] = new { City },
            ["@metadata"] = new Dictionary<string, string> { ["@collection"] = Collection },
        };
        if (Total is { } total)
            members["Total"] = total;
        if (Tags is not null)
            members["Tags"] = Tags;
        return JsonSerializer.Serialize(members);
    }

    public static IndexedDocument Parse(JsonElement document) =>
        new(
            document.GetProperty("@metadata").GetProperty("@collection").GetString()!,
            document.GetProperty("Name").GetString()!,
            document.TryGetProperty("Total", out var total) ? total.GetDouble() : null,
            document.TryGetProperty("Tags", out var tags) ? [.. tags.EnumerateArray().Select(tag => tag.GetString()!)] : null,
            document.GetProperty("Note").GetString()!,
            document.GetProperty("Address").GetProperty("City").GetString()!
        );

    /// <summary>Equal values; records compare their lists by reference.</summary>
    public bool IsSame(IndexedDocument? other) => other is not null && ToJson() == other.ToJson();
}
