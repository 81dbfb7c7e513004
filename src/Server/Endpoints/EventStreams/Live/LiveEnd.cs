using System.Text.Json;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>Why the server ends a live read: its last line.</summary>
/// <param name="Type">For programs.</param>
/// <param name="Message">For people.</param>
internal sealed record LiveEnd(string Type, string Message)
{
    /// <summary>An error that the reading met.</summary>
    public static LiveEnd Of(Exception exception)
    {
        var answer = ErrorTranslation.Translate(exception);
        return new LiveEnd(answer.Type, answer.Message);
    }

    /// <summary>Writes the line.</summary>
    public void Write(RequestContext request)
    {
        var json = request.Json();
        json.WriteStartObject();
        json.WriteStartObject("error"u8);
        json.WriteString("type"u8, Type);
        json.WriteString("message"u8, Message);
        json.WriteEndObject();
        json.WriteEndObject();
        json.Flush();
        request.Response.Write("\n"u8);
    }

    /// <summary>Text for <see cref="JsonElement"/> viewers and logs.</summary>
    public override string ToString() => $"{Type}: {Message}";
}
