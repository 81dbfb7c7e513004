using System.Buffers;
using System.Buffers.Text;
using System.Text;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Ids;

/// <summary><c>A:12-AbCdEfGhIjKlMnOpQrStUv</c>: node tag, etag, database id; several joined by <c>, </c>.</summary>
internal static class ChangeVector
{
    /// <summary>Characters of a database id: 16 bytes of base64 without the padding.</summary>
    public const int DatabaseIdLength = 22;

    /// <summary>Bytes that one element takes at most: four letters, a colon, 19 digits, a dash, the id.</summary>
    public const int MaxElementBytes = 4 + 1 + 19 + 1 + DatabaseIdLength;

    public static string DatabaseIdText(Guid id)
    {
        Span<byte> bytes = stackalloc byte[16];
        Invariant.Require(id.TryWriteBytes(bytes));
        return Convert.ToBase64String(bytes)[..DatabaseIdLength];
    }

    /// <summary>Writes one element and returns its length.</summary>
    public static int Write(ReadOnlySpan<byte> nodeTag, long etag, ReadOnlySpan<byte> databaseId, Span<byte> destination)
    {
        nodeTag.CopyTo(destination);
        int at = nodeTag.Length;
        destination[at++] = (byte)':';
        Invariant.Require(Utf8Formatter.TryFormat(etag, destination[at..], out int digits));
        at += digits;
        destination[at++] = (byte)'-';
        databaseId.CopyTo(destination[at..]);
        return at + databaseId.Length;
    }

    /// <summary>Returns false for text that no server can have returned: it is malformed, or longer than
    /// <see cref="Limits.MaxChangeVectorBytes"/>.</summary>
    public static bool IsValid(ReadOnlySpan<char> text)
    {
        if (text.Length > Limits.MaxChangeVectorBytes)
            return false;
        var rest = text;
        while (true)
        {
            int comma = rest.IndexOf(',');
            if (!IsElement(comma < 0 ? rest : rest[..comma]))
                return false;
            if (comma < 0)
                return true;
            rest = rest[(comma + 1)..].TrimStart(' ');
        }
    }

    private static readonly SearchValues<char> s_base64 = SearchValues.Create(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    );

    private static bool IsElement(ReadOnlySpan<char> element)
    {
        int colon = element.IndexOf(':');
        if (colon is < 1 or > 4 || element[..colon].ContainsAnyExceptInRange('A', 'Z'))
            return false;
        var rest = element[(colon + 1)..];
        int dash = rest.IndexOf('-');
        return dash is >= 1 and <= 19
            && !rest[..dash].ContainsAnyExceptInRange('0', '9')
            && rest.Length - dash - 1 == DatabaseIdLength
            && !rest[(dash + 1)..].ContainsAnyExcept(s_base64);
    }

    /// <summary>For messages.</summary>
    public static string Text(ReadOnlySpan<byte> changeVector) => Encoding.UTF8.GetString(changeVector);
}
