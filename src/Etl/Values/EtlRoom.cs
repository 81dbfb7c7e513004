using System.Text;
using System.Text.Json;
using Jackdaw.Documents.Rooms;

namespace Jackdaw.Etl.Values;

/// <summary>
/// What ETL keeps in a database: tasks, connection strings, positions, orders and notes, each under a key that begins with
/// <c>etl/</c>. The layouts are in docs/documents-format.md, "tasks".
/// </summary>
public sealed class EtlRoom : Room
{
    private const byte Version = 1;

    /// <summary>What a kind of value must be; keys of the kind begin with its name.</summary>
    private static readonly (string Kind, ValueRule Rule)[] s_rules =
    [
        ("etl/position/", static value => value.Length == 32 && value[0] == Version),
        ("etl/owner/", IsObject),
        ("etl/order/", static value => value.Length >= 32 && value[0] == Version),
        ("etl/paused/", IsMark),
        ("etl/started/", static value => value.Length == 16),
        ("etl/take-over/", IsMark),
        ("etl/task/", IsObject),
        ("etl/connection/", IsObject),
        ("etl/own-delete/", IsMark),
        ("etl/sent/", static value => value.Length >= 24 && value[0] == Version && value.Length % sizeof(long) == 0),
        ("etl/last-task-id", static value => value.Length == sizeof(long)),
    ];

    private EtlRoom()
        : base("etl") { }

    private delegate bool ValueRule(ReadOnlySpan<byte> value);

    /// <summary>The only one.</summary>
    public static EtlRoom Instance { get; } = new();

    /// <inheritdoc/>
    protected override void Check(RoomReader reader, Action<string> report) => Verify(reader, report);

    /// <summary>Each value is of a known kind and laid out as that kind is.</summary>
    internal static void Verify(RoomReader reader, Action<string> report)
    {
        ArgumentNullException.ThrowIfNull(report);
        reader.Visit(
            "etl/",
            (key, value) =>
            {
                string name = Encoding.UTF8.GetString(key);
                var rule = Array.Find(s_rules, known => name.StartsWith(known.Kind, StringComparison.Ordinal)).Rule;
                if (rule is null)
                    report($"the value '{name}' is of no known kind");
                else if (!rule(value))
                    report($"the value '{name}' of {value.Length} bytes is malformed");
            }
        );
    }

    private static bool IsMark(ReadOnlySpan<byte> value) => value.Length == 1 && value[0] == 1;

    private static bool IsObject(ReadOnlySpan<byte> value)
    {
        var json = new Utf8JsonReader(value);
        try
        {
            bool isObject = json.Read() && json.TokenType == JsonTokenType.StartObject;
            while (json.Read()) { }
            return isObject;
        }
        catch (JsonException)
        {
            return false;
        }
    }
}
