using System.Buffers.Text;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Ids;

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
        bool isIdentity = given[^1] == (byte)'|';
        given[..^1].CopyTo(destination);
        destination[given.Length - 1] = (byte)'/';
        // Numbers that somebody used up by writing the id himself are passed over.
        for (long number = isIdentity ? writer.NextIdentity(given) : writer.LastEtag + 1; ; number = isIdentity ? writer.NextIdentity(given) : number + 1)
        {
            int length = given.Length + (isIdentity
                ? WriteNumber(number, destination[given.Length..])
                : WritePaddedNumber(number, writer.NodeTag, destination[given.Length..]));
            if (length > Limits.MaxIdBytes || !writer.Exists(destination[..length]))
                return length;
        }
    }

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
