using System.Buffers;
using System.Text;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Matching;

namespace Jackdaw.Search.Reading;

/// <summary>Lists a field's terms as people read them: texts in the order of their bytes, then numbers in theirs. A number that reads as
/// one of
/// the texts is left out, so that each line is one place to resume behind.</summary>
internal static class TermListing
{
    /// <summary>Stands behind what is kept of a term that is cut.</summary>
    private const string CutSign = "…";

    /// <summary>Returns the terms behind <paramref name="after"/>, which may be a term that is not there; null: from the first.</summary>
    public static IReadOnlyList<string> List(IndexView view, string field, string? after, int atMost)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(atMost);
        var terms = new List<string>();
        if (view.Field(field) is not { } of)
            return terms;
        byte[] from = TextKey.First.ToArray();
        if (after is not null)
        {
            if (IsNumberOf(of, after, out byte[] number))
                return AddNumbers(of, TermSegment.After(number), atMost, terms);
            from = TermSegment.After(TextKeyOf(after));
        }
        using (var cursor = of.Texts.OpenCursor())
        {
            for (bool any = atMost > 0 && cursor.Seek(from); any && terms.Count < atMost; any = cursor.MoveNext())
                terms.Add(ShowText(cursor.Key));
        }
        return AddNumbers(of, [], atMost, terms);
    }

    private static List<string> AddNumbers(FieldView field, byte[] from, int atMost, List<string> terms)
    {
        using var cursor = field.Numbers.OpenCursor();
        for (bool any = terms.Count < atMost && cursor.Seek(from); any && terms.Count < atMost; any = cursor.MoveNext())
        {
            string text = NumberKey.ToText(cursor.Key);
            if (!field.Texts.Contains(TextKeyOf(text)))
                terms.Add(text);
        }
        return terms;
    }

    private static string ShowText(ReadOnlySpan<byte> key)
    {
        var term = TextKey.TermOf(key);
        if (!TextKey.IsCut(key))
            return Encoding.UTF8.GetString(term);
        // Half a character at the end would not come back as it was.
        int end = term.Length;
        while (Rune.DecodeLastFromUtf8(term[..end], out _, out _) != OperationStatus.Done)
            end--;
        return Encoding.UTF8.GetString(term[..end]) + CutSign;
    }

    private static byte[] TextKeyOf(string term)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(term);
        byte[] key = new byte[TextKey.MaxBytes];
        if (!IsShownCut(term, utf8.Length))
            return key[..TextKey.Write(utf8, key)];
        // Behind every term that is shown like this one.
        int end = utf8.Length - Encoding.UTF8.GetByteCount(CutSign);
        key.AsSpan().Fill(0xFF);
        TextKey.FirstCut.CopyTo(key);
        utf8.AsSpan(0, end).CopyTo(key.AsSpan(TextKey.FirstCut.Length));
        return key;
    }

    private static bool IsShownCut(string term, int bytes) =>
        term.EndsWith(CutSign, StringComparison.Ordinal)
        && bytes - Encoding.UTF8.GetByteCount(CutSign) is > SearchLimits.CutTermPrefixBytes - 4 and <= SearchLimits.CutTermPrefixBytes;

    /// <summary>A text that is no text term of the field, but one of its numbers.</summary>
    private static bool IsNumberOf(FieldView field, string term, out byte[] key)
    {
        key = [];
        if (field.Texts.Contains(TextKeyOf(term)) || !SearchNumberText.TryParse(term, out var number))
            return false;
        byte[] room = new byte[NumberKey.MaxBytes];
        key = room[..NumberKey.Write(number, room)];
        return field.Numbers.Contains(key);
    }
}
