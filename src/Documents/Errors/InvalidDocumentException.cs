using System.Text.Json;

namespace Jackdaw.Documents.Errors;

/// <summary>What was sent as a document is not one: malformed or too deeply nested JSON, not an object, metadata of the wrong
/// shape.</summary>
public sealed class InvalidDocumentException(string message, Exception? inner = null) : OperationException(message, inner)
{
    /// <summary>The error of a text that the reader refused.</summary>
    /// <param name="malformed">The reader's own; of a text that nests too deeply it tells a limit that counts what surrounds the
    /// document, too.</param>
    /// <param name="depth">Where the reader stood.</param>
    public static InvalidDocumentException Malformed(JsonException malformed, int depth)
    {
        ArgumentNullException.ThrowIfNull(malformed);
        return depth >= Limits.MaxJsonDepth - 1
            ? new(
                $"The document nests deeper than the limit of {Limits.MaxJsonDepth} "
                    + $"levels, or its deepest is not valid JSON: {malformed.Message}",
                malformed
            )
            : new($"The document is not valid JSON: {malformed.Message}", malformed);
    }
}
