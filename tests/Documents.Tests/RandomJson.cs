using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;

namespace Jackdaw.Documents.Tests;

/// <summary>Random documents in random spelling (white space, escapes, order of members), and what they mean.</summary>
internal sealed class RandomJson(Random random)
{
    private readonly StringBuilder _text = new();

    /// <summary>A document; <paramref name="expected"/> is what reading it back should show, without what the server adds.</summary>
    public string Document(out JsonObject expected)
    {
        expected = [];
        int members = random.Next(6);
        int metadataAt = random.Next(-1, members + 1);
        JsonObject metadata = [];
        Space();
        _text.Append('{');
        bool first = true;
        for (int i = 0; i <= members; i++)
        {
            if (i == metadataAt)
            {
                Separate(ref first);
                Name("@metadata");
                metadata = Metadata();
            }
            if (i == members)
                break;
            Separate(ref first);
            string name = $"m{i}{Text()}";
            Name(name);
            expected[name] = Value(0);
        }
        Space();
        _text.Append('}');
        Space();
        expected["@metadata"] = metadata;
        return _text.ToString();
    }

    private JsonObject Metadata()
    {
        JsonObject metadata = [];
        _text.Append('{');
        bool first = true;
        int members = random.Next(5);
        for (int i = 0; i < members; i++)
        {
            Separate(ref first);
            switch (random.Next(4))
            {
                case 0 when !metadata.ContainsKey("@collection"):
                    Name("@collection");
                    metadata["@collection"] = "C" + Text();
                    String((string)metadata["@collection"]!);
                    break;
                case 1:
                    Name(random.Next(2) == 0 ? "@id" : "@change-vector");
                    Value(0);
                    break;
                default:
                    string name = $"k{i}{Text()}";
                    Name(name);
                    metadata[name] = Value(1);
                    break;
            }
        }
        _text.Append('}');
        return metadata;
    }

    private JsonNode? Value(int depth)
    {
        switch (random.Next(depth > 3 ? 4 : 6))
        {
            case 0:
                _text.Append("null");
                return null;
            case 1:
                string text = Text();
                String(text);
                return text;
            case 2:
                string number = random.Next(3) switch
                {
                    0 => random.Next().ToString(CultureInfo.InvariantCulture),
                    1 => "-" + random.Next(100) + ".500",
                    _ => "1" + new string('0', random.Next(30)) + "e" + random.Next(5),
                };
                _text.Append(number);
                return JsonNode.Parse(number);
            case 3:
                _text.Append("true");
                return true;
            case 4:
                JsonArray array = [];
                _text.Append('[');
                bool first = true;
                for (int i = random.Next(4); i > 0; i--)
                {
                    Separate(ref first);
                    array.Add(Value(depth + 1));
                }
                Space();
                _text.Append(']');
                return array;
            default:
                JsonObject inner = [];
                _text.Append('{');
                bool isFirst = true;
                for (int i = random.Next(4); i > 0; i--)
                {
                    Separate(ref isFirst);
                    string name = random.Next(5) == 0 ? "@metadata" : $"i{i}{Text()}";
                    if (inner.ContainsKey(name))
                        name += i;
                    Name(name);
                    inner[name] = Value(depth + 1);
                }
                Space();
                _text.Append('}');
                return inner;
        }
    }

    private string Text()
    {
        var text = new StringBuilder();
        for (int i = random.Next(6); i > 0; i--)
            text.Append(
                random.Next(8) switch
                {
                    0 => "ä",
                    1 => "😀",
                    2 => "\"",
                    3 => "\\",
                    4 => "\n",
                    5 => "}",
                    6 => ",",
                    _ => "x",
                }
            );
        return text.ToString();
    }

    private void Name(string name)
    {
        Space();
        String(name);
        Space();
        _text.Append(':');
        Space();
    }

    private void String(string text)
    {
        _text.Append('"');
        foreach (var rune in text.EnumerateRunes())
        {
            // Both halves of a pair are escaped, or neither: one alone would be no text.
            string spelled = rune.ToString();
            bool isEscaped = rune.Value is '"' or '\\' or < ' ' || random.Next(6) == 0;
            foreach (char c in spelled)
                _text.Append(isEscaped ? string.Create(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}") : c.ToString());
        }
        _text.Append('"');
    }

    private void Separate(ref bool first)
    {
        Space();
        if (!first)
            _text.Append(',');
        first = false;
    }

    private void Space()
    {
        if (random.Next(6) == 0)
            _text.Append(
                random.Next(4) switch
                {
                    0 => " ",
                    1 => "\n",
                    2 => "\r\n\t",
                    _ => "  ",
                }
            );
    }
}
