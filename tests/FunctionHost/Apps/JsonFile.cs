using System.Globalization;
using System.Text.Json;

namespace Jackdaw.FunctionHost.Apps;

/// <summary>
/// A file of a function app, or an object in it, read member by member; a member that is not what it has to be is an
/// <see cref="AppException"/> with its place.
/// </summary>
internal sealed class JsonFile
{
    private static readonly JsonDocumentOptions s_options = new()
    {
        CommentHandling = JsonCommentHandling.Skip,
        AllowTrailingCommas = true,
    };

    private readonly JsonElement _members;
    private readonly string _path;
    private readonly Func<string, string?> _replaced;

    private JsonFile(string name, JsonElement members, string path, Func<string, string?> replaced)
    {
        Name = name;
        _members = members;
        _path = path;
        _replaced = replaced;
    }

    /// <summary>The file.</summary>
    public string Name { get; }

    /// <param name="file">Its path.</param>
    /// <param name="replaced">What replaces a member's value, by its path in the file; null: nothing does.</param>
    public static JsonFile Read(string file, Func<string, string?>? replaced = null)
    {
        string text;
        try
        {
            text = File.ReadAllText(file);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new AppException($"{file} is not there: --app must name the folder of a function app.", e);
        }
        try
        {
            using var json = JsonDocument.Parse(text, s_options);
            return json.RootElement.ValueKind == JsonValueKind.Object
                ? new JsonFile(file, json.RootElement.Clone(), "", replaced ?? (_ => null))
                : throw new AppException($"{file} is not a JSON object.");
        }
        catch (JsonException e)
        {
            throw new AppException($"{file}, line {e.LineNumber + 1}: it is not valid JSON: {e.Message}", e);
        }
    }

    /// <summary>The place of a member, for errors.</summary>
    public string PlaceOf(string member) => $"'{PathOf(member)}' in {Name}";

    /// <summary>An object, an empty one where there is none.</summary>
    public JsonFile Section(string member) =>
        new(Name, Member(member, JsonValueKind.Object, "an object") ?? default, PathOf(member), _replaced);

    /// <summary>The objects of an array; null where there is none.</summary>
    public IReadOnlyList<JsonFile>? Sections(string member)
    {
        if (Member(member, JsonValueKind.Array, "an array of objects") is not { } array)
            return null;
        var sections = new List<JsonFile>();
        foreach (var one in array.EnumerateArray())
        {
            if (one.ValueKind != JsonValueKind.Object)
                throw Wrong(member, "an array of objects");
            sections.Add(new JsonFile(Name, one, $"{PathOf(member)}[{sections.Count}]", _replaced));
        }
        return sections;
    }

    public IReadOnlyList<string> Texts(string member) =>
        Member(member, JsonValueKind.Array, "an array of texts") is not { } array
            ? []
            :
            [
                .. array
                    .EnumerateArray()
                    .Select(one => one.ValueKind == JsonValueKind.String ? one.GetString()! : throw Wrong(member, "an array of texts")),
            ];

    /// <summary>A text, a number or a truth value as text; null where there is none.</summary>
    public string? Text(string member)
    {
        if (_replaced(PathOf(member)) is { } replaced)
            return replaced;
        if (_members.ValueKind != JsonValueKind.Object || !_members.TryGetProperty(member, out var value))
            return null;
        return value.ValueKind switch
        {
            JsonValueKind.Null => null,
            JsonValueKind.String => value.GetString(),
            JsonValueKind.Number or JsonValueKind.True or JsonValueKind.False => value.GetRawText(),
            _ => throw Wrong(member, "a text"),
        };
    }

    public string RequiredText(string member) =>
        Text(member) is { Length: > 0 } text ? text : throw new AppException($"{PlaceOf(member)} is missing.");

    public int Number(string member, int otherwise, int min, int max)
    {
        if (Text(member) is not { } text)
            return otherwise;
        return
            int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number)
            && number >= min
            && number <= max
            ? number
            : throw new AppException($"{PlaceOf(member)} is '{text}' and must be a number from {min} to {max}.");
    }

    public TimeSpan Time(string member, TimeSpan otherwise)
    {
        if (Text(member) is not { } text)
            return otherwise;
        return TimeSpan.TryParseExact(text, ["c", "g"], CultureInfo.InvariantCulture, out var time) && time >= TimeSpan.Zero
            ? time
            : throw new AppException($"{PlaceOf(member)} is '{text}' and must be a time like '00:00:05'.");
    }

    private JsonElement? Member(string member, JsonValueKind kind, string expected)
    {
        if (
            _members.ValueKind != JsonValueKind.Object
            || !_members.TryGetProperty(member, out var value)
            || value.ValueKind == JsonValueKind.Null
        )
            return null;
        return value.ValueKind == kind ? value : throw Wrong(member, expected);
    }

    private AppException Wrong(string member, string expected) => new($"{PlaceOf(member)} must be {expected}.");

    private string PathOf(string member) => _path.Length == 0 ? member : $"{_path}.{member}";
}
