using System.Buffers.Text;
using System.Text;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Ids;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Writing;

/// <summary>Ids that the server makes: for <c>users/</c>, <c>users|</c> and none at all.</summary>
internal static class IdGenerator
{
    /// <summary>Bytes that a generated id has at most beyond what was given.</summary>
    public const int MaxSuffixBytes = 64;

    /// <summary>Writes an id that no document has and returns its length.</summary>
    public static int Generate(ReadOnlySpan<byte> given, DocumentsWriter writer, Span<byte> destination)
    {
        if (given.IsEmpty)
        {
            Invariant.Require(Utf8Formatter.TryFormat(writer.NewGuid(), destination, out int written));
            return written;
        }
        given[..^1].CopyTo(destination);
        destination[given.Length - 1] = (byte)'/';
        if (given[^1] != (byte)'|')
        {
            FirstFree(writer, given, writer.LastEtag, isIdentity: false, destination, out int length);
            return length;
        }
        Span<byte> lower = stackalloc byte[DocumentId.MaxLowerBytes];
        var identity = lower[..DocumentId.WriteLower(given, lower)];
        writer.SetIdentity(
            identity,
            FirstFree(writer, given, writer.LastIdentity(identity), isIdentity: true, destination, out int idLength)
        );
        return idLength;
    }

    /// <summary>
    /// The first number after the last one whose id no document has, that id written. Numbers that people used up by writing ids
    /// themselves are passed over in at most some
    /// hundred and twenty probes, however many they are: in steps that double until a number is free, then by halves back to one
    /// that is free behind one that is not. Where what
    /// was used has holes, that may be a later free number than the first: identities may have gaps.
    /// </summary>
    /// <exception cref="NumbersExhaustedException">None is left.</exception>
    private static long FirstFree(
        DocumentsWriter writer,
        ReadOnlySpan<byte> given,
        long last,
        bool isIdentity,
        Span<byte> destination,
        out int length
    )
    {
        long used = last;
        long free;
        for (long step = 1; ; step = step > long.MaxValue / 2 ? long.MaxValue : step * 2)
        {
            if (used == long.MaxValue)
                throw new NumbersExhaustedException($"The id '{ShownText.Of(Encoding.UTF8.GetString(given))}'", used);
            free = used > long.MaxValue - step ? long.MaxValue : used + step;
            if (IsFree(writer, given.Length, free, isIdentity, destination, out length))
                break;
            used = free;
        }
        if (free - used == 1)
            return free;
        while (free - used > 1)
        {
            long middle = used + ((free - used) / 2);
            if (IsFree(writer, given.Length, middle, isIdentity, destination, out _))
                free = middle;
            else
                used = middle;
        }
        length = WriteId(writer, given.Length, free, isIdentity, destination);
        return free;
    }

    /// <summary>An id that has become too long is nobody's either; whoever asked for it is told.</summary>
    private static bool IsFree(
        DocumentsWriter writer,
        int prefixLength,
        long number,
        bool isIdentity,
        Span<byte> destination,
        out int length
    )
    {
        length = WriteId(writer, prefixLength, number, isIdentity, destination);
        return length > Limits.MaxIdBytes || !writer.Exists(destination[..length]);
    }

    private static int WriteId(DocumentsWriter writer, int prefixLength, long number, bool isIdentity, Span<byte> destination) =>
        prefixLength
        + (
            isIdentity
                ? WriteNumber(number, destination[prefixLength..])
                : WritePaddedNumber(number, writer.NodeTag, destination[prefixLength..])
        );

    private static int WriteNumber(long number, Span<byte> destination)
    {
        Invariant.Require(Utf8Formatter.TryFormat(number, destination, out int written));
        return written;
    }

    /// <summary><c>0000000000000000042-A</c>: nineteen digits, so that they sort as numbers, and the node tag.</summary>
    private static int WritePaddedNumber(long number, ReadOnlySpan<byte> nodeTag, Span<byte> destination)
    {
        Invariant.Require(Utf8Formatter.TryFormat(number, destination, out int written, new System.Buffers.StandardFormat('D', 19)));
        destination[written++] = (byte)'-';
        nodeTag.CopyTo(destination[written..]);
        return written + nodeTag.Length;
    }
}
