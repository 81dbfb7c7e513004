using System.Runtime.InteropServices;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Patching;
using Jackdaw.Scripting;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Patching;

/// <summary>A script and its values as they go over the wire: <c>{"Script":"this.a = args.x","Values":{"x":1}}</c>.</summary>
internal static class PatchText
{
    private static readonly JsonDocumentOptions Options = new() { MaxDepth = Limits.MaxJsonDepth + 8 };

    /// <summary>Reads JSON with room for values as deep as documents.</summary>
    /// <exception cref="JsonException">It is not JSON.</exception>
    /// <exception cref="BadRequestException">It is not UTF-8.</exception>
    public static JsonDocument Parse(ReadOnlyMemory<byte> json)
    {
        JsonBody.RequireBody(json.Span);
        JsonBody.RequireUtf8(json.Span);
        return JsonDocument.Parse(json, Options);
    }

    /// <summary>Compiles the patch in the element; null when that is null or not there.</summary>
    /// <exception cref="BadRequestException">Not of this form.</exception>
    /// <exception cref="Jackdaw.Documents.Errors.PatchException">It does not compile, or scripts cannot run here.</exception>
    public static Patch? Compile(ScriptEngine engine, JsonElement element, Limits limits)
    {
        if (element.ValueKind is JsonValueKind.Null or JsonValueKind.Undefined)
            return null;
        if (
            element.ValueKind != JsonValueKind.Object
            || !element.TryGetProperty("Script", out var script)
            || script.ValueKind != JsonValueKind.String
        )
            throw new BadRequestException("A patch must be an object with a Script.");
        ReadOnlySpan<byte> values = default;
        if (element.TryGetProperty("Values", out var given) && given.ValueKind != JsonValueKind.Null)
        {
            if (given.ValueKind != JsonValueKind.Object)
                throw new BadRequestException("The Values of a patch must be an object.");
            values = JsonMarshal.GetRawUtf8Value(given);
        }
        return Patch.Compile(engine, TextOf(script), values, limits);
    }

    /// <summary>The text of a JSON string.</summary>
    public static string TextOf(JsonElement text)
    {
        try
        {
            return text.GetString()!;
        }
        catch (InvalidOperationException e)
        {
            throw new BadRequestException(
                "A text in the body holds an escape of half a surrogate pair "
                    + "(\\ud800 to \\udfff without its other half), which is no text.",
                e
            );
        }
    }
}
