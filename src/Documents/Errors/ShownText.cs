using System.Text;

namespace Jackdaw.Documents.Errors;

/// <summary>Ids and names as messages show them. They may contain control characters, which a terminal or a log obeys.</summary>
public static class ShownText
{
    /// <summary>Returns the text with each control character as its escape, for example <c>\u0001</c>.</summary>
    public static string Of(string text)
    {
        if (!text.AsSpan().ContainsAnyInRange('\0', '\u001F') && !text.AsSpan().ContainsAnyInRange('\u007F', '\u009F'))
            return text;
        var shown = new StringBuilder(text.Length + 16);
        foreach (char letter in text)
        {
            if (char.IsControl(letter))
                shown.Append($"\\u{(int)letter:x4}");
            else
                shown.Append(letter);
        }
        return shown.ToString();
    }
}
