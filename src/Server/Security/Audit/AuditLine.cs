using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Jackdaw.Server.Security.Audit;

/// <summary>A line of the audit log, as it is written.</summary>
/// <param name="Time">Of the act, or of the refusal.</param>
/// <param name="Text">One JSON object without a line end.</param>
/// <param name="IsAct">Whether it has one of the places that acts have for themselves.</param>
internal readonly record struct AuditLine(DateTimeOffset Time, string Text, bool IsAct)
{
    private static readonly JsonSerializerOptions s_json = new()
    {
        Encoder = JavaScriptEncoder.Default,
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        Converters = { new JsonStringEnumConverter() },
    };

    /// <summary>Writes an entry as a line. Its texts are cut at <see cref="AuditLimits.MaxText"/>.</summary>
    public static AuditLine Of(DateTimeOffset time, AuditEntry entry, bool isAct)
    {
        var members = JsonSerializer.SerializeToNode(
            entry with
            {
                Path = Bounded(entry.Path),
                Query = Bounded(entry.Query),
                Subject = Bounded(entry.Subject),
                Reason = Bounded(entry.Reason),
            },
            s_json
        )!;
        members.AsObject().Insert(0, nameof(Time), time.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
        return new AuditLine(time, members.ToJsonString(s_json), isAct);
    }

    private static string? Bounded(string? text) => text is { Length: > AuditLimits.MaxText } ? text[..AuditLimits.MaxText] + "…" : text;
}
