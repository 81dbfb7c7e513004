using System.Text;
using Jackdaw.Search.Dictionary;
using Jackdaw.Search.Matching;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Reading;

/// <summary>Lists a field's terms as people read them: texts in the order of their bytes, then numbers in theirs.</summary>
internal static class TermListing
{
    private delegate string Showing(ReadOnlySpan<byte> key);

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
                return AddFrom(of.Numbers, TermSegment.After(number), NumberKey.ToText, atMost, terms);
            from = TermSegment.After(TextKeyOf(after));
        }
        AddFrom(of.Texts, from, ShowText, atMost, terms);
        return AddFrom(of.Numbers, [], NumberKey.ToText, atMost, terms);
    }

    private static List<string> AddFrom(BTree tree, byte[] from, Showing show, int atMost, List<string> terms)
    {
        using var cursor = tree.OpenCursor();
        for (bool any = terms.Count < atMost && cursor.Seek(from); any && terms.Count < atMost; any = cursor.MoveNext())
            terms.Add(show(cursor.Key));
        return terms;
    }

    private static string ShowText(ReadOnlySpan<byte> key) => Encoding.UTF8.GetString(TextKey.TermOf(key));

    private static byte[] TextKeyOf(string term)
    {
        byte[] key = new byte[TextKey.MaxBytes];
        return key[..TextKey.Write(Encoding.UTF8.GetBytes(term), key)];
    }

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
