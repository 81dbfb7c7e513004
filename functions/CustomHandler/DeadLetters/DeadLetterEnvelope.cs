using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Jackdaw.Functions.CustomHandler.DeadLetters;

/// <summary>
/// A dead letter as a queue message: JSON with the reason and the message byte by byte. <c>./run queues</c> shows these and sends them
/// again. The form is part of functions/README.md.
/// </summary>
/// <param name="Function">Whose message it is.</param>
/// <param name="Consumer">Who could not handle it, with its version.</param>
/// <param name="Queue">The Azure queue that the message is sent to again.</param>
/// <param name="Reason">A sentence for the operator.</param>
/// <param name="Time">When.</param>
internal sealed record DeadLetterEnvelope(string Function, string Consumer, string Queue, string Reason, DateTimeOffset Time)
{
    /// <summary>Tells a dead letter from any other message.</summary>
    public const string Type = "jackdaw.dead-letter";

    /// <summary>Of the form.</summary>
    public const int Version = 1;

    /// <summary>Fewer escapes: no browser reads it.</summary>
    private static readonly JsonWriterOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Writes it with the message; null when that is too large for a queue.</summary>
    public string? TryWrite(ReadOnlySpan<byte> body)
    {
        if (body.Length > AppLimits.MaxDeadLetterBytes / 4 * 3)
            return null;
        var text = Convert.ToBase64String(body);
        var message = Write(json => json.WriteString("body", text));
        return Encoding.UTF8.GetByteCount(message) <= AppLimits.MaxDeadLetterBytes ? message : null;
    }

    /// <summary>Writes it with the place where the message is.</summary>
    public string Write(OversizeLetter letter, int bytes) =>
        Write(json =>
        {
            json.WriteString("container", letter.Container);
            json.WriteString("blob", letter.Blob);
            json.WriteNumber("bytes", bytes);
        });

    private string Write(Action<Utf8JsonWriter> body)
    {
        var output = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(output, s_options))
        {
            json.WriteStartObject();
            json.WriteString("type", Type);
            json.WriteNumber("version", Version);
            json.WriteString("function", Function);
            json.WriteString("consumer", Consumer);
            json.WriteString("queue", Queue);
            json.WriteString("reason", Shortened());
            json.WriteString("time", Time.UtcDateTime.ToString("yyyy-MM-ddTHH:mm:ss.fffZ", CultureInfo.InvariantCulture));
            body(json);
            json.WriteEndObject();
        }
        return Encoding.UTF8.GetString(output.WrittenSpan);
    }

    /// <summary>Not between the halves of a character.</summary>
    private string Shortened()
    {
        if (Reason.Length <= AppLimits.MaxReasonLength)
            return Reason;
        var length = AppLimits.MaxReasonLength - 1;
        return Reason[..(char.IsHighSurrogate(Reason[length - 1]) ? length - 1 : length)] + "…";
    }
}
