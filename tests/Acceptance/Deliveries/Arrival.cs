using System.Globalization;
using System.Text.Json;

namespace Jackdaw.Acceptance.Deliveries;

/// <summary>A message as a receiver has it.</summary>
/// <param name="Id">Of the CloudEvent: the same at every attempt.</param>
/// <param name="Subject">The document.</param>
/// <param name="Etag">Of the change.</param>
/// <param name="Data">What the script passed on, as JSON text.</param>
internal sealed record Arrival(string Id, string Subject, long Etag, string Data)
{
    /// <summary>One that came as a structured event.</summary>
    public static Arrival Structured(JsonElement received) =>
        new(
            received.GetProperty("id").GetString()!,
            received.GetProperty("subject").GetString()!,
            long.Parse(received.GetProperty("etag").GetString()!, CultureInfo.InvariantCulture),
            received.GetProperty("data").GetRawText()
        );
}
