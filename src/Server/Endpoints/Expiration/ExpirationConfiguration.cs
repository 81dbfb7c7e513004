using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Expiring;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Expiration;

/// <summary>The protocol's form of how documents expire, or are refreshed.</summary>
internal static class ExpirationConfiguration
{
    private const string Disabled = "Disabled";
    private const string MaxItemsToProcess = "MaxItemsToProcess";

    /// <summary>The member of a database record.</summary>
    public static string Member(DocumentDateKind kind) => kind == DocumentDateKind.Expires ? "Expiration" : "Refresh";

    /// <summary>Reads a configuration. Unknown members are ignored, as those of other versions are.</summary>
    /// <exception cref="BadRequestException">This is no object, or a member is not what it must be.</exception>
    public static DueDocumentsSettings Read(JsonElement given, DocumentDateKind kind)
    {
        if (given.ValueKind != JsonValueKind.Object)
            throw new BadRequestException(
                $"{Member(kind)} must be an object such as {{\"{Disabled}\":false,\"{Frequency(kind)}\":60}}, not {Shown(given)}."
            );
        var settings = new DueDocumentsSettings();
        foreach (var member in given.EnumerateObject().Where(member => member.Value.ValueKind != JsonValueKind.Null))
        {
            if (Is(member, Disabled))
                settings = settings with { Disabled = Flag(member.Value) };
            else if (Is(member, Frequency(kind)))
                settings = settings with
                {
                    FrequencyInSec = Number(member.Value, Frequency(kind), (long)Limits.MaxDueDocumentsInterval.TotalSeconds),
                };
            else if (Is(member, MaxItemsToProcess))
                settings = settings with { MaxItemsToProcess = Number(member.Value, MaxItemsToProcess, long.MaxValue) };
        }
        return settings;
    }

    /// <summary>Writes a configuration; null for none.</summary>
    public static void Write(Utf8JsonWriter json, DueDocumentsSettings? settings, DocumentDateKind kind)
    {
        if (settings is null)
        {
            json.WriteNullValue();
            return;
        }
        json.WriteStartObject();
        json.WriteBoolean(Disabled, settings.Disabled);
        WriteNumber(json, Frequency(kind), settings.FrequencyInSec);
        WriteNumber(json, MaxItemsToProcess, settings.MaxItemsToProcess);
        json.WriteEndObject();
    }

    private static string Frequency(DocumentDateKind kind) =>
        kind == DocumentDateKind.Expires ? "DeleteFrequencyInSec" : "RefreshFrequencyInSec";

    private static bool Is(JsonProperty member, string name) => member.Name.Equals(name, StringComparison.OrdinalIgnoreCase);

    private static bool Flag(JsonElement value) =>
        value.ValueKind is JsonValueKind.True or JsonValueKind.False
            ? value.GetBoolean()
            : throw new BadRequestException($"{Disabled} must be true or false, not {Shown(value)}.");

    private static long Number(JsonElement value, string name, long most) =>
        value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out var number) && number > 0 && number <= most
            ? number
            : throw new BadRequestException(
                $"{name} must be a whole number from 1 to {most}, or null for the default, not {Shown(value)}."
            );

    private static string Shown(JsonElement value)
    {
        const int Longest = 100;
        var text = value.GetRawText();
        return ShownText.Of(text.Length <= Longest ? text : text[..Longest] + "…");
    }

    private static void WriteNumber(Utf8JsonWriter json, string name, long? number)
    {
        if (number is { } given)
            json.WriteNumber(name, given);
        else
            json.WriteNull(name);
    }
}
