using System.Buffers;
using System.Text;
using Jackdaw.Indexing.Definitions;

namespace Jackdaw.Indexing.Queries;

/// <summary>Writes the path of a field as definitions of indexes spell it (<see cref="FieldPath"/>): one text for each path.</summary>
internal static class FieldPathText
{
    /// <summary>With parentheses a name would look like another field of the index: <c>search(name)</c>, <c>id()</c>.</summary>
    private static readonly SearchValues<char> _quoted = SearchValues.Create(".'\"[]() \\");

    public static string Of(IEnumerable<FieldPathStep> steps)
    {
        var text = new StringBuilder();
        foreach (var step in steps)
        {
            text.Append(text.Length > 0 ? "." : "");
            if (step.Name.Length > 0 && step.Name.AsSpan().IndexOfAny(_quoted) < 0)
                text.Append(step.Name);
            else
                text.Append('\'').Append(Escaped(step.Name)).Append('\'');
            text.Append(step.IsEach ? "[]" : "");
        }
        return text.ToString();
    }

    private static string Escaped(string name) =>
        name.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("'", "\\'", StringComparison.Ordinal);
}
