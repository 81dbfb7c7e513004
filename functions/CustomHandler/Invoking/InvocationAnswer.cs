using System.Buffers;
using System.Text.Json;

namespace Jackdaw.Functions.CustomHandler.Invoking;

/// <summary>What the host gets for an invocation: <c>{"Outputs":{…},"Logs":[…],"ReturnValue":null}</c>.</summary>
internal static class InvocationAnswer
{
    /// <summary>The output binding of each function.</summary>
    public const string DeadLetterBinding = "deadLetter";

    /// <summary>
    /// Writes the answer. Dead letters are an array of texts, even a single one. The host parses a lone text that is JSON and writes it
    /// anew, and it decodes one that is Base64; it hands the texts of an array over as they are.
    /// </summary>
    /// <param name="deadLetters">One queue message each.</param>
    /// <param name="logs">Lines for the host's log.</param>
    public static ReadOnlyMemory<byte> Write(IReadOnlyCollection<string> deadLetters, IEnumerable<string> logs)
    {
        var output = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(output))
        {
            json.WriteStartObject();
            json.WriteStartObject("Outputs");
            if (deadLetters.Count > 0)
                WriteTexts(json, DeadLetterBinding, deadLetters);
            json.WriteEndObject();
            WriteTexts(json, "Logs", logs);
            json.WriteNull("ReturnValue");
            json.WriteEndObject();
        }
        return output.WrittenMemory;
    }

    private static void WriteTexts(Utf8JsonWriter json, string name, IEnumerable<string> texts)
    {
        json.WriteStartArray(name);
        foreach (var text in texts)
            json.WriteStringValue(text);
        json.WriteEndArray();
    }
}
