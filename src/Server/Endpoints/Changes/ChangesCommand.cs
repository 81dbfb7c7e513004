using System.Globalization;
using System.Text;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Errors;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>A client's command: watch something, or watch it no longer.</summary>
/// <param name="Id">What the confirmation carries.</param>
/// <param name="Watch">What.</param>
/// <param name="IsUnwatch">No longer.</param>
internal readonly record struct ChangesCommand(long Id, Watch Watch, bool IsUnwatch)
{
    private const string UnwatchPrefix = "un";
    private const int MaxShownCommand = 64;

    private static readonly Dictionary<string, WatchKind> s_kinds = new(StringComparer.OrdinalIgnoreCase)
    {
        ["watch-docs"] = WatchKind.AllDocuments,
        ["watch-doc"] = WatchKind.Document,
        ["watch-prefix"] = WatchKind.Prefix,
        ["watch-collection"] = WatchKind.Collection,
        ["watch-indexes"] = WatchKind.AllIndexes,
        ["watch-index"] = WatchKind.Index,
        ["watch-operations"] = WatchKind.AllOperations,
        ["watch-operation"] = WatchKind.Operation,
        ["watch-aggressive-caching"] = WatchKind.AggressiveCaching,
        ["watch-topology-change"] = WatchKind.TopologyChange,
    };

    private static readonly Dictionary<string, string> s_unsupported = new(StringComparer.OrdinalIgnoreCase)
    {
        ["watch-counters"] = "Counters",
        ["watch-counter"] = "Counters",
        ["watch-document-counter"] = "Counters",
        ["watch-document-counters"] = "Counters",
        ["watch-all-timeseries"] = "Time series",
        ["watch-timeseries"] = "Time series",
        ["watch-document-timeseries"] = "Time series",
        ["watch-all-document-timeseries"] = "Time series",
    };

    /// <summary>Reads a message.</summary>
    /// <exception cref="ChangesCommandException">It is no command, or none that this version has.</exception>
    public static ChangesCommand Parse(ReadOnlyMemory<byte> message)
    {
        var (id, command, parameter) = Read(message);
        if (id is null)
            throw new ChangesCommandException("A command must have a CommandId that is a whole number.", null);
        if (string.IsNullOrEmpty(command))
            throw new ChangesCommandException("A command must have a Command, such as 'watch-docs'.", id);
        var isUnwatch = command.StartsWith(UnwatchPrefix, StringComparison.OrdinalIgnoreCase);
        var name = isUnwatch ? command[UnwatchPrefix.Length..] : command;
        if (s_unsupported.TryGetValue(name, out var feature))
            throw new ChangesCommandException($"{feature} are not supported by this version: '{command}' was refused.", id);
        if (!s_kinds.TryGetValue(name, out var kind))
            throw new ChangesCommandException(
                $"There is no command '{ShownText.Of(command.Length > MaxShownCommand ? command[..MaxShownCommand] : command)}'. "
                    + $"Commands are {string.Join(", ", s_kinds.Keys)}, and each of them with 'un' in front.",
                id
            );
        return new ChangesCommand(id.Value, new Watch(kind, NameOf(kind, parameter, command, id.Value)), isUnwatch);
    }

    private static (long? Id, string? Command, string? Parameter) Read(ReadOnlyMemory<byte> message)
    {
        try
        {
            using var json = JsonDocument.Parse(message);
            if (json.RootElement.ValueKind != JsonValueKind.Object)
                throw new ChangesCommandException("A command must be a JSON object.", null);
            long? id = null;
            string? command = null;
            string? parameter = null;
            foreach (var member in json.RootElement.EnumerateObject())
            {
                if (member.NameEquals("CommandId"u8) && member.Value.ValueKind == JsonValueKind.Number)
                    id = member.Value.TryGetInt64(out var number) ? number : null;
                else if (member.NameEquals("Command"u8) && member.Value.ValueKind == JsonValueKind.String)
                    command = member.Value.GetString();
                else if (member.NameEquals("Param"u8))
                    parameter = member.Value.ValueKind == JsonValueKind.Null ? null : member.Value.ToString();
            }
            return (id, command, parameter);
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // The latter: half a surrogate pair, which is no text.
            throw new ChangesCommandException($"A command must be JSON: {e.Message}", null);
        }
    }

    private static string NameOf(WatchKind kind, string? parameter, string command, long id)
    {
        if (
            kind
            is WatchKind.AllDocuments
                or WatchKind.AllIndexes
                or WatchKind.AllOperations
                or WatchKind.AggressiveCaching
                or WatchKind.TopologyChange
        )
            return "";
        if (string.IsNullOrEmpty(parameter))
            throw new ChangesCommandException($"'{command}' must name what is watched in its Param.", id);
        if (kind == WatchKind.Operation)
            return long.TryParse(parameter, NumberStyles.None, CultureInfo.InvariantCulture, out var operation)
                ? operation.ToString(CultureInfo.InvariantCulture)
                : throw new ChangesCommandException($"The Param of '{command}' must be the id of an operation, a whole number.", id);
        var (most, limit) =
            kind == WatchKind.Index
                ? (ChangesLimits.MaxIndexNameBytes, "ChangesLimits.MaxIndexNameBytes")
                : (Limits.MaxIdBytes, "Limits.MaxIdBytes");
        if (Encoding.UTF8.GetByteCount(parameter) > most)
            throw new ChangesCommandException($"The Param of '{command}' is longer than {most} bytes ({limit}, fixed).", id);
        return Lower(parameter);
    }

    /// <summary>The lower case by which ids are compared: rune by rune, as the database makes it.</summary>
    internal static string Lower(string text)
    {
        var lower = new StringBuilder(text.Length);
        foreach (var rune in text.EnumerateRunes())
            lower.Append(Rune.ToLowerInvariant(rune).ToString());
        return lower.ToString();
    }
}
