using System.Collections;
using System.Globalization;
using System.Text.Json;
using Jackdaw.Documents;

namespace Jackdaw.Server.Configuration;

/// <summary>
/// Collects settings as text, the later source winning: JSON file, environment (<c>JACKDAW_ServerUrl_Tcp</c>; an underscore
/// stands for a dot),
/// command line (<c>--Key=value</c>, <c>--Key value</c>, or <c>--Key</c> alone for true).
/// </summary>
internal sealed class SettingValues
{
    public const string EnvironmentPrefix = "JACKDAW_";
    public const string ConfigPathArgument = "config-path";

    private readonly Dictionary<string, string> _values = new(StringComparer.OrdinalIgnoreCase);
    private readonly List<string> _warnings = [];
    private readonly List<string> _files = [];

    /// <summary>Sentences for standard error about settings that were ignored.</summary>
    public IReadOnlyList<string> Warnings => _warnings;

    /// <summary>The JSON files that were read, as absolute paths.</summary>
    public IReadOnlyList<string> Files => _files;

    public string? this[string name] => _values.GetValueOrDefault(name) ?? KnownSettings.Find(name)?.Default;

    /// <summary>Reads all sources. <paramref name="environment"/> maps names to values, as
    /// <see cref="Environment.GetEnvironmentVariables()"/> does.</summary>
    public static SettingValues Read(IReadOnlyList<string> arguments, IDictionary environment)
    {
        var commandLine = ParseArguments(arguments);
        var values = new SettingValues();
        foreach (var (name, value) in commandLine)
            if (string.Equals(name, ConfigPathArgument, StringComparison.OrdinalIgnoreCase))
            {
                values.AddFile(value);
                values._files.Add(Path.GetFullPath(value));
            }
        foreach (DictionaryEntry entry in environment)
        {
            var name = (string)entry.Key;
            if (name.StartsWith(EnvironmentPrefix, StringComparison.OrdinalIgnoreCase))
                values.Add(name[EnvironmentPrefix.Length..].Replace('_', '.'), (string?)entry.Value ?? "", $"environment variable {name}");
        }
        foreach (var (name, value) in commandLine)
            if (!string.Equals(name, ConfigPathArgument, StringComparison.OrdinalIgnoreCase))
                values.Add(name, value, $"argument --{name}");
        return values;
    }

    private static List<(string Name, string Value)> ParseArguments(IReadOnlyList<string> arguments)
    {
        var parsed = new List<(string, string)>();
        for (var i = 0; i < arguments.Count; i++)
        {
            var argument = arguments[i];
            if (!argument.StartsWith('-') || argument.TrimStart('-').Length == 0)
                throw new ConfigurationException(
                    $"'{argument}' is not a setting; write --Name=value, and a command before all settings (see --help)."
                );
            var text = argument.TrimStart('-');
            var equals = text.IndexOf('=', StringComparison.Ordinal);
            if (equals >= 0)
                parsed.Add((text[..equals], text[(equals + 1)..]));
            else if (i + 1 < arguments.Count && !arguments[i + 1].StartsWith("--", StringComparison.Ordinal))
                parsed.Add((text, arguments[++i]));
            else
                parsed.Add((text, "true"));
        }
        return parsed;
    }

    private void AddFile(string path)
    {
        try
        {
            using var document = JsonDocument.Parse(
                File.ReadAllBytes(path),
                new JsonDocumentOptions { AllowTrailingCommas = true, CommentHandling = JsonCommentHandling.Skip }
            );
            if (document.RootElement.ValueKind != JsonValueKind.Object)
                throw new ConfigurationException($"The configuration file '{path}' must hold one JSON object.");
            AddObject("", document.RootElement, $"configuration file '{path}'");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new ConfigurationException($"The configuration file '{path}' cannot be read: {e.Message}", e);
        }
        catch (JsonException e)
        {
            throw new ConfigurationException($"The configuration file '{path}' is not valid JSON: {e.Message}", e);
        }
    }

    private void AddObject(string prefix, JsonElement element, string source)
    {
        foreach (var property in element.EnumerateObject())
        {
            var name = prefix + property.Name;
            if (property.Value.ValueKind == JsonValueKind.Object)
                AddObject(name + ".", property.Value, source);
            else if (property.Value.ValueKind != JsonValueKind.Null)
                Add(
                    name,
                    property.Value.ValueKind == JsonValueKind.String ? property.Value.GetString()! : property.Value.GetRawText(),
                    source
                );
        }
    }

    private void Add(string name, string value, string source)
    {
        if (KnownSettings.Find(name) is { } known)
        {
            _values[known.Name] = value;
            return;
        }
        if (name.StartsWith(KnownSettings.RefusedPrefix, StringComparison.OrdinalIgnoreCase))
            throw new ConfigurationException(
                $"{name} ({source}) is not supported, and ignoring it could let in somebody it was meant to keep out. Known: "
                    + string.Join(
                        ", ",
                        KnownSettings
                            .All.Select(s => s.Name)
                            .Where(n => n.StartsWith(KnownSettings.RefusedPrefix, StringComparison.Ordinal))
                    )
                    + "."
            );
        if (NearestName.Of(name, KnownSettings.All.Select(s => s.Name)) is { } nearest)
            throw new ConfigurationException($"Unknown setting '{name}' ({source}); did you mean '{nearest}'?");
        if (!KnownSettings.QuietPrefixes.Any(p => name.StartsWith(p, StringComparison.OrdinalIgnoreCase)))
            _warnings.Add($"Unknown setting '{name}' ({source}) is ignored; --help lists the known ones.");
    }

    public string Required(string name) =>
        this[name] is { Length: > 0 } value ? value : throw new ConfigurationException($"{name} must not be empty.");

    public bool Boolean(string name) =>
        this[name] switch
        {
            { } text when bool.TryParse(text, out var value) => value,
            var text => throw new ConfigurationException($"{name} must be true or false, not '{text}'."),
        };

    public int Integer(string name, int least, int most)
    {
        var text = this[name];
        if (!int.TryParse(text, NumberStyles.Integer, CultureInfo.InvariantCulture, out var value) || value < least || value > most)
            throw new ConfigurationException($"{name} must be a whole number from {least} to {most}, not '{text}'.");
        return value;
    }
}
