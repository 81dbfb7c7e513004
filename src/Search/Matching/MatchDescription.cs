using System.Globalization;
using System.Text;

namespace Jackdaw.Search.Matching;

/// <summary>A tree of matches as indented lines.</summary>
internal sealed class MatchDescription
{
    private readonly StringBuilder _text = new();
    private int _depth;

    public void Add(string what, Match match, string? how = null, params ReadOnlySpan<Match> below)
    {
        string count = string.Create(CultureInfo.InvariantCulture, $"{(match.IsExact ? "" : "at most ")}{match.Count}");
        Line(how is null ? $"{what}: {count}" : $"{what}: {count}, {how}");
        _depth++;
        foreach (var child in below)
            child.Describe(this);
        _depth--;
    }

    /// <summary>Describes a match two steps further in.</summary>
    public void Indented(Match match)
    {
        _depth += 2;
        match.Describe(this);
        _depth -= 2;
    }

    public void Line(string text) => _text.Append(' ', 2 * _depth).Append(text).Append('\n');

    public override string ToString() => _text.ToString();
}
