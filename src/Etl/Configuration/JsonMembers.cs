using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Jackdaw.Etl.Configuration;

/// <summary>Reads a configuration's members; each error names the whole and the member.</summary>
internal sealed class JsonMembers(JsonObject members, string what)
{
    private static readonly JsonNodeOptions s_options = new() { PropertyNameCaseInsensitive = true };

    public JsonObject Object => members;

    public static JsonMembers Parse(ReadOnlySpan<byte> json, string what)
    {
        try
        {
            if (JsonNode.Parse(json, s_options) is not JsonObject members)
                throw new InvalidConfigurationException($"{what} must be a JSON object.");
            Walk(members);
            return new JsonMembers(members, what);
        }
        catch (JsonException e)
        {
            throw new InvalidConfigurationException($"{what} is no valid JSON: {e.Message}");
        }
        catch (ArgumentException)
        {
            throw new InvalidConfigurationException($"{what} has an object with the same member twice (whatever its casing).");
        }
        catch (InvalidOperationException)
        {
            throw new InvalidConfigurationException($"{what} holds half a surrogate pair, which is no text.");
        }
    }

    /// <summary>Parsed objects look at their members, and texts at their escapes, only when they are asked for: here is where
    /// that may fail.</summary>
    private static void Walk(JsonNode? node)
    {
        switch (node)
        {
            case JsonObject inner:
                foreach (var (_, member) in inner)
                    Walk(member);
                break;
            case JsonArray list:
                foreach (var item in list)
                    Walk(item);
                break;
            case JsonValue value:
                value.TryGetValue(out string? _);
                break;
        }
    }

    public JsonMembers Required(string name) =>
        members[name] is JsonObject found
            ? new JsonMembers(found, $"{what}, {name}")
            : throw new InvalidConfigurationException($"{what} must have an object '{name}'.");

    /// <summary>Throws <see cref="InvalidConfigurationException"/> when there is a member of another name, whatever its casing.</summary>
    public void RequireKnown(string[] known)
    {
        foreach (var (name, _) in members)
        {
            if (!known.Contains(name, StringComparer.OrdinalIgnoreCase))
                throw new InvalidConfigurationException($"{what} has an unknown member '{name}'; there are {string.Join(", ", known)}.");
        }
    }

    /// <summary>Null when there is no object of this name, whatever there is instead.</summary>
    public JsonMembers? ObjectOrNull(string name) => members[name] is JsonObject found ? new JsonMembers(found, $"{what}, {name}") : null;

    /// <summary>Null when it is absent.</summary>
    public JsonMembers? Optional(string name) => members[name] is null ? null : Required(name);

    /// <summary>Names and texts of an object's members, numbers and flags as texts too; none when it is absent.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> OptionalTextMembers(string name) =>
        members[name] switch
        {
            null => [],
            JsonObject inner => inner
                .Select(member =>
                    KeyValuePair.Create(
                        member.Key,
                        member.Value is JsonValue value ? value.ToString() : throw Wrong($"{name}.{member.Key}", "a text")
                    )
                )
                .ToArray(),
            _ => throw Wrong(name, "an object of texts"),
        };

    public string? Text(string name) =>
        members[name] switch
        {
            null => null,
            JsonValue value when value.TryGetValue(out string? text) => text,
            _ => throw Wrong(name, "a text"),
        };

    public string RequiredText(string name)
    {
        string? text = Text(name)?.Trim();
        if (string.IsNullOrEmpty(text))
            throw new InvalidConfigurationException($"{what} must have a '{name}'.");
        if (text.Length > EtlLimits.MaxNameBytes / 4 && name == "Name")
            throw new InvalidConfigurationException(
                $"{what} has a '{name}' of {text.Length} characters, over the limit of {EtlLimits.MaxNameBytes / 4} (fixed)."
            );
        return text;
    }

    public bool Flag(string name) =>
        members[name] switch
        {
            null => false,
            JsonValue value when value.TryGetValue(out bool flag) => flag,
            _ => throw Wrong(name, "true or false"),
        };

    public double Number(string name, double absent) =>
        members[name] switch
        {
            null => absent,
            JsonValue value when value.TryGetValue(out double number) => number,
            _ => throw Wrong(name, "a number"),
        };

    /// <summary>A number of seconds; whether it makes sense is the caller's to say.</summary>
    public TimeSpan Seconds(string name, double absent) =>
        Number(name, absent) is var seconds and >= -1e9 and <= 1e9
            ? TimeSpan.FromSeconds(seconds)
            : throw Wrong(name, "a number of seconds");

    public TEnum Enum<TEnum>(string name, TEnum absent)
        where TEnum : struct, Enum
    {
        if (Text(name) is not { } text)
            return absent;
        return System.Enum.TryParse(text, ignoreCase: true, out TEnum value) && System.Enum.IsDefined(value)
            ? value
            : throw Wrong(name, "one of " + string.Join(", ", System.Enum.GetNames<TEnum>()));
    }

    /// <summary>The objects of a list; empty when it is absent.</summary>
    public IReadOnlyList<JsonMembers> List(string name) =>
        members[name] switch
        {
            null => [],
            JsonArray list => list.Select(
                    (item, i) =>
                        item is JsonObject found ? new JsonMembers(found, $"{what}, {name}[{i}]") : throw Wrong(name, "a list of objects")
                )
                .ToArray(),
            _ => throw Wrong(name, "a list"),
        };

    /// <summary>The texts of a list; empty when it is absent.</summary>
    public IReadOnlyList<string> Texts(string name) =>
        members[name] switch
        {
            null => [],
            JsonArray list => list.Select(item =>
                    item is JsonValue value && value.TryGetValue(out string? text) && text.Length > 0
                        ? text
                        : throw Wrong(name, "a list of texts")
                )
                .ToArray(),
            _ => throw Wrong(name, "a list"),
        };

    /// <summary>Where a transform starts: "Beginning", "Now", an etag, or a date.</summary>
    public StartPosition Start(string name)
    {
        switch (members[name])
        {
            case null:
                return StartPosition.Beginning;
            case JsonValue value when value.TryGetValue(out long etag) && etag >= 0:
                return StartPosition.After(etag);
            case JsonValue value when value.TryGetValue(out string? text):
                if (text.Equals("Beginning", StringComparison.OrdinalIgnoreCase))
                    return StartPosition.Beginning;
                if (text.Equals("Now", StringComparison.OrdinalIgnoreCase))
                    return StartPosition.Now;
                if (DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var date))
                    return StartPosition.From(date.UtcDateTime);
                break;
        }
        throw Wrong(name, "\"Beginning\", \"Now\", an etag or a date");
    }

    private InvalidConfigurationException Wrong(string name, string expected) => new($"{what}: '{name}' must be {expected}.");
}
