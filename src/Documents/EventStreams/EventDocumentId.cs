using System.Buffers.Text;
using Jackdaw.Documents.Layout;
using Jackdaw.Storage;

namespace Jackdaw.Documents.EventStreams;

/// <summary>Ids of events as documents: <c>@events/‹stream number›/‹event number, 20 digits›</c>.</summary>
internal static class EventDocumentId
{
    /// <summary>Digits of an event number in an id.</summary>
    public const int NumberDigits = 20;

    /// <summary>Bytes of the longest id.</summary>
    public const int MaxBytes = 8 + 19 + 1 + NumberDigits;

    /// <summary>Writes an id and returns its length.</summary>
    public static int Write(long streamNumber, long number, Span<byte> destination)
    {
        var prefix = CollectionNames.EventIds;
        prefix.CopyTo(destination);
        int at = prefix.Length;
        Invariant.Require(Utf8Formatter.TryFormat(streamNumber, destination[at..], out int digits));
        at += digits;
        destination[at++] = (byte)'/';
        Invariant.Require(Utf8Formatter.TryFormat(number, destination[at..], out digits, new('D', NumberDigits)) && digits == NumberDigits);
        return at + digits;
    }

    /// <summary>Takes an id apart; false: it is the id of no event.</summary>
    public static bool TryRead(ReadOnlySpan<byte> lowerId, out long streamNumber, out long number)
    {
        number = 0;
        return TryReadStream(lowerId, out streamNumber, out var rest)
            && rest.Length == NumberDigits + 1
            && rest[0] == (byte)'/'
            && TryReadDigits(rest[1..], out number);
    }

    /// <summary>Takes the number of the stream off the beginning of an id; false: the id does not begin like that of an event.</summary>
    /// <param name="lowerId">The id, or its beginning.</param>
    /// <param name="streamNumber">0: no digit follows.</param>
    /// <param name="rest">What follows the digits.</param>
    public static bool TryReadStream(ReadOnlySpan<byte> lowerId, out long streamNumber, out ReadOnlySpan<byte> rest)
    {
        streamNumber = 0;
        rest = default;
        if (!lowerId.StartsWith(CollectionNames.EventIds))
            return false;
        var text = lowerId[CollectionNames.EventIds.Length..];
        int digits = text.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        digits = digits < 0 ? text.Length : digits;
        rest = text[digits..];
        return digits == 0 ? rest.IsEmpty : text[0] != (byte)'0' && TryReadDigits(text[..digits], out streamNumber);
    }

    /// <summary>The numbers whose 20 digits begin with some; false: none do.</summary>
    public static bool TryReadRange(ReadOnlySpan<byte> firstDigits, out long from, out long to)
    {
        from = to = 0;
        if (firstDigits.Length > NumberDigits || firstDigits.ContainsAnyExceptInRange((byte)'0', (byte)'9'))
            return false;
        UInt128 low = 0;
        foreach (byte digit in firstDigits)
            low = (low * 10) + (uint)(digit - '0');
        UInt128 width = 1;
        for (int i = firstDigits.Length; i < NumberDigits; i++)
            width *= 10;
        low *= width;
        if (low > long.MaxValue)
            return false;
        from = (long)low;
        to = (long)UInt128.Min(low + width - 1, long.MaxValue);
        return true;
    }

    private static bool TryReadDigits(ReadOnlySpan<byte> digits, out long value)
    {
        value = 0;
        return !digits.ContainsAnyExceptInRange((byte)'0', (byte)'9')
            && Utf8Parser.TryParse(digits, out value, out int read)
            && read == digits.Length;
    }
}
