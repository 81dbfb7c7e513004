using System.Globalization;
using System.Text;

namespace Jackdaw.Indexing.Tests.Mapping;

/// <summary>
/// Makes random JSON of a few names that is well-formed and written in every way that JSON allows: names twice, with escapes where none is
/// needed, brackets and quotes inside strings, white space, numbers at the edges.
/// </summary>
internal sealed class RandomJson(Random random)
{
    private const int MaxDepth = 5;

    /// <summary>Names of members, as they are meant.</summary>
    private static readonly string[] s_names =
    [
        "a",
        "b",
        "ab",
        "a\"b",
        "a\":\"x",
        "a\\",
        "",
        "größe",
        "😀",
        "a b",
        "[]",
        "{",
        "a\n",
        "n",
        "Count",
        "length",
    ];

    private static readonly string[] s_texts =
    [
        "",
        "x",
        "true",
        "\"",
        "\\",
        "\\\"",
        "}{][",
        "\"}",
        ",:",
        "a\":\"x",
        "größe 😀",
        "\ud800",
        "\udc00x",
        "\u0000\u001f\u007f",
        "line\r\n\tbreak\b\f/",
        "2024-01-02",
        "2024-01-02T03:04:05+01:00",
    ];

    private static readonly string[] s_numbers =
    [
        "0",
        "-0",
        "0.0",
        "1",
        "-1.50",
        "1e3",
        "1E-5",
        "1e999",
        "-1e999",
        "9007199254740991",
        "9007199254740993",
        "-9223372036854775808",
        "18446744073709551616",
        "123456789012345678901234567890123456789012345678901234567890",
        "4.9e-324",
        "0.1",
    ];

    private readonly string[] _names = random.GetItems(s_names, 3);
    private readonly StringBuilder _json = new();

    /// <summary>Makes an object.</summary>
    public string Object()
    {
        _json.Clear();
        AddObject(0);
        return _json.ToString();
    }

    /// <summary>Makes a path that may lead to something in such an object.</summary>
    public string Path()
    {
        var path = new StringBuilder();
        int steps = random.Next(1, 4);
        for (int i = 0; i < steps; i++)
        {
            string name = _names[random.Next(_names.Length)].Replace("\\", "\\\\", StringComparison.Ordinal);
            path.Append(i > 0 ? "." : "").Append('\'').Append(name).Append('\'').Append(random.Next(3) == 0 ? "[]" : "");
        }
        return path.ToString();
    }

    private void AddValue(int depth)
    {
        switch (random.Next(depth < MaxDepth ? 9 : 6))
        {
            case 0 or 1:
                AddString(Text());
                break;
            case 2:
                _json.Append(s_numbers[random.Next(s_numbers.Length)]);
                break;
            case 3:
                _json.Append(random.Next(-1000, 1000).ToString(CultureInfo.InvariantCulture));
                break;
            case 4:
                _json.Append(random.Next(2) == 0 ? "true" : "false");
                break;
            case 5:
                _json.Append("null");
                break;
            case 6:
                AddArray(depth);
                break;
            default:
                AddObject(depth);
                break;
        }
    }

    private void AddObject(int depth)
    {
        _json.Append('{');
        AddSpace();
        int members = random.Next(9);
        for (int i = 0; i < members; i++)
        {
            _json.Append(i > 0 ? "," : "");
            AddSpace();
            AddString(_names[random.Next(_names.Length)]);
            AddSpace();
            _json.Append(':');
            AddSpace();
            AddValue(depth + 1);
            AddSpace();
        }
        _json.Append('}');
    }

    private void AddArray(int depth)
    {
        _json.Append('[');
        AddSpace();
        int elements = random.Next(4);
        for (int i = 0; i < elements; i++)
        {
            _json.Append(i > 0 ? "," : "");
            AddSpace();
            AddValue(depth + 1);
            AddSpace();
        }
        _json.Append(']');
    }

    /// <summary>Several of the texts, one behind the other: some longer than any vector.</summary>
    private string Text()
    {
        var text = new StringBuilder();
        for (int i = random.Next(4); i >= 0; i--)
        {
            text.Append(s_texts[random.Next(s_texts.Length)]);
            if (random.Next(3) == 0)
                text.Append('x', random.Next(150));
        }
        return text.ToString();
    }

    private void AddString(string text)
    {
        bool escapesMore = random.Next(8) == 0;
        _json.Append('"');
        for (int i = 0; i < text.Length; i++)
        {
            char unit = text[i];
            bool isHalf = char.IsSurrogate(unit);
            bool isPair = i + 1 < text.Length && char.IsSurrogatePair(unit, text[i + 1]);
            if (isPair && !escapesMore)
                _json.Append(unit).Append(text[++i]);
            else if (unit is '"' or '\\' && random.Next(2) == 0)
                _json.Append('\\').Append(unit);
            else if (unit is '"' or '\\' || unit < ' ' || isHalf || escapesMore && random.Next(2) == 0)
                _json.Append(CultureInfo.InvariantCulture, $"\\u{(int)unit:x4}");
            else
                _json.Append(unit);
        }
        _json.Append('"');
    }

    private void AddSpace()
    {
        if (random.Next(6) == 0)
            _json.Append(" \t\r\n"[random.Next(4)]);
    }
}
