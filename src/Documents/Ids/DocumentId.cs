using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Unicode;
using Jackdaw.Documents.Errors;

namespace Jackdaw.Documents.Ids;

/// <summary>The rules of document ids, and their lower case, which is what is compared.</summary>
internal static class DocumentId
{
    /// <summary>Bytes that the lower case of an id can take: some letters grow from two bytes to three.</summary>
    public const int MaxLowerBytes = Limits.MaxIdBytes * 3 / 2;

    /// <summary>Bytes that the lower case of an id of so many bytes can take.</summary>
    public static int MaxLowerLength(int idBytes) => (idBytes * 3 / 2) + 1;

    /// <summary>Throws <see cref="InvalidDocumentIdException"/> for an id that cannot be stored.</summary>
    public static void Validate(ReadOnlySpan<byte> id)
    {
        if (id.IsEmpty)
            throw new InvalidDocumentIdException("A document id cannot be empty.");
        if (id.Length > Limits.MaxIdBytes)
            ThrowTooLong(id.Length);
        // In keys the byte 0 ends an id.
        if (id.Contains<byte>(0))
            throw new InvalidDocumentIdException(
                $"A document id cannot contain the character NUL: '{ShownText.Of(Encoding.UTF8.GetString(id))}'."
            );
        if (Ascii.IsValid(id))
            return;
        if (!Utf8.IsValid(id))
            throw new InvalidDocumentIdException(
                "A document id must be valid text: this one has bytes that are not UTF-8, or half a surrogate pair."
            );
    }

    /// <summary>
    /// Writes the lower case to a span of at least 3/2 of the id's length and returns the bytes written; -1 when the id is not
    /// valid UTF-8. The invariant
    /// simple mapping of Unicode.
    /// </summary>
    public static int WriteLower(ReadOnlySpan<byte> id, Span<byte> destination)
    {
        if (Ascii.ToLower(id, destination, out int written) == OperationStatus.Done)
            return written;
        int read = 0;
        written = 0;
        while (read < id.Length)
        {
            if (Rune.DecodeFromUtf8(id[read..], out var rune, out int consumed) != OperationStatus.Done)
                return -1;
            if (!Rune.ToLowerInvariant(rune).TryEncodeToUtf8(destination[written..], out int encoded))
                return -1;
            read += consumed;
            written += encoded;
        }
        return written;
    }

    /// <summary>The lower case of a name that may be long or invalid (then: null).</summary>
    public static byte[]? Lower(ReadOnlySpan<byte> text)
    {
        byte[] lower = new byte[(text.Length * 3 / 2) + 1];
        int length = WriteLower(text, lower);
        return length < 0 ? null : lower[..length];
    }

    /// <summary>UTF-8 of text that may hold a lone surrogate, which is refused rather than replaced.</summary>
    public static int WriteUtf8(ReadOnlySpan<char> text, Span<byte> destination)
    {
        var status = Utf8.FromUtf16(text, destination, out _, out int written, replaceInvalidSequences: false);
        if (status == OperationStatus.DestinationTooSmall)
            ThrowTooLong(Encoding.UTF8.GetByteCount(text));
        if (status != OperationStatus.Done)
            throw new InvalidDocumentIdException("A document id must be valid text: this one has half a surrogate pair.");
        return written;
    }

    [DoesNotReturn]
    private static void ThrowTooLong(int length) =>
        throw new InvalidDocumentIdException(
            $"A document id cannot be longer than {Limits.MaxIdBytes} bytes in UTF-8, and this one has {length:N0}."
        );
}
