using System.Globalization;
using System.Text;

namespace Jackdaw.Indexing.Definitions;

/// <summary>
/// The path of a field as definitions of indexes spell it, so that one path has one text: <c>name</c>, <c>address.city</c>,
/// <c>lines[].product</c>, <c>items[0]</c>, <c>@metadata.@collection</c>. A property name stands in single quotes where it would not be
/// read as one name otherwise: when it is empty or has a dot, a quote, a bracket or a parenthesis. A quote inside is doubled.
/// </summary>
public static class FieldPath
{
    private const string Special = ".'\"[]()";

    /// <summary>Returns the one text of a path.</summary>
    public static string Format(IEnumerable<FieldPathStep> steps)
    {
        ArgumentNullException.ThrowIfNull(steps);
        var text = new StringBuilder();
        foreach (var step in steps)
        {
            if (step.Name is { } name)
                text.Append(text.Length > 0 ? "." : "").Append(Quoted(name));
            else if (step.Index is { } index)
                text.Append(CultureInfo.InvariantCulture, $"[{index}]");
            else
                text.Append("[]");
        }
        return text.ToString();
    }

    /// <summary>Reads what <see cref="Format"/> has written.</summary>
    /// <exception cref="FormatException">The text is no path.</exception>
    public static IReadOnlyList<FieldPathStep> Parse(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        var steps = new List<FieldPathStep>();
        for (int at = 0; at < path.Length || steps.Count == 0; )
        {
            if (at < path.Length && path[at] == '[')
            {
                steps.Add(ReadSubscript(path, ref at));
                continue;
            }
            if (steps.Count > 0 && path[at++] != '.')
                throw Malformed(path, at - 1);
            steps.Add(FieldPathStep.Property(at < path.Length && path[at] == '\'' ? ReadQuoted(path, ref at) : ReadBare(path, ref at)));
        }
        return steps;
    }

    private static string Quoted(string name) =>
        name.Length > 0 && name.AsSpan().IndexOfAny(Special) < 0 ? name : $"'{name.Replace("'", "''", StringComparison.Ordinal)}'";

    private static FieldPathStep ReadSubscript(string path, ref int at)
    {
        int close = path.IndexOf(']', at);
        if (close < 0)
            throw Malformed(path, at);
        var inner = path.AsSpan(at + 1, close - at - 1);
        int index = 0;
        if (!inner.IsEmpty && !int.TryParse(inner, NumberStyles.None, CultureInfo.InvariantCulture, out index))
            throw Malformed(path, at);
        at = close + 1;
        return inner.IsEmpty ? FieldPathStep.EachElement : FieldPathStep.ElementAt(index);
    }

    private static string ReadBare(string path, ref int at)
    {
        int end = path.AsSpan(at).IndexOfAny(Special);
        var name = end < 0 ? path[at..] : path.Substring(at, end);
        if (name.Length == 0)
            throw Malformed(path, at);
        at += name.Length;
        return name;
    }

    private static string ReadQuoted(string path, ref int at)
    {
        var name = new StringBuilder();
        for (int i = at + 1; i < path.Length; i++)
        {
            if (path[i] != '\'')
                name.Append(path[i]);
            else if (i + 1 < path.Length && path[i + 1] == '\'')
                name.Append(path[i++]);
            else
            {
                at = i + 1;
                return name.ToString();
            }
        }
        throw Malformed(path, at);
    }

    private static FormatException Malformed(string path, int at) =>
        new(string.Create(CultureInfo.InvariantCulture, $"'{path}' is not the path of a field (at character {at + 1})."));
}
