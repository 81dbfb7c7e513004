using System.Text;

namespace Jackdaw.Indexing.Definitions;

/// <summary>
/// Where values lie in a document, taken apart. A path is names with dots between them: <c>address.city</c>. <c>[]</c> behind a name steps
/// into the elements of an array. A name with dots, brackets, spaces or quotes stands in single quotes, in which a backslash stands before
/// a quote and a backslash: <c>'first name'.'it\'s'</c>.
/// </summary>
public static class FieldPath
{
    /// <summary>Takes a path apart. Errors: a <see cref="FormatException"/> that says what is wrong, and where.</summary>
    public static IReadOnlyList<FieldPathStep> Parse(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        var steps = new List<FieldPathStep>();
        int at = 0;
        while (true)
        {
            string name = at < path.Length && path[at] == '\'' ? Quoted(path, ref at) : Bare(path, ref at);
            bool isEach = false;
            for (; string.CompareOrdinal(path, at, "[]", 0, 2) == 0; at += 2)
                isEach = true;
            steps.Add(new FieldPathStep(name, isEach));
            if (at == path.Length)
                return steps;
            if (path[at] != '.')
                throw Malformed(path, at, "a dot, [] or the end");
            at++;
        }
    }

    private static string Bare(string path, ref int at)
    {
        int start = at;
        while (at < path.Length && path[at] is not ('.' or '[' or ']' or '\''))
            at++;
        return at > start ? path[start..at] : throw Malformed(path, at, "a name");
    }

    private static string Quoted(string path, ref int at)
    {
        var name = new StringBuilder();
        for (at++; at < path.Length && path[at] != '\''; at++)
        {
            if (path[at] == '\\' && at + 1 < path.Length)
                at++;
            name.Append(path[at]);
        }
        if (at == path.Length)
            throw Malformed(path, at, "a closing quote");
        at++;
        return name.ToString();
    }

    private static FormatException Malformed(string path, int at, string expected) =>
        new($"The field path \"{path}\" is malformed at character {at}: {expected} was expected.");
}
