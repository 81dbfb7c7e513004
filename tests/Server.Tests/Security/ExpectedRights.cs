using System.Text.RegularExpressions;

namespace Jackdaw.Server.Tests.Security;

/// <summary>The rights of all routes as docs/security-routes.md has them, which is written by hand.</summary>
internal static partial class ExpectedRights
{
    /// <summary>The section of each route, by method and path, e.g. <c>GET {db}/docs</c>.</summary>
    public static IReadOnlyDictionary<string, string> Read()
    {
        var expected = new Dictionary<string, string>(StringComparer.Ordinal);
        var section = "";
        foreach (var line in File.ReadLines(Path.Combine(Root(), "docs", "security-routes.md")))
        {
            if (line.StartsWith("## ", StringComparison.Ordinal))
                section = line[3..];
            foreach (Match route in Route().Matches(line))
                expected.Add(route.Groups[1].Value, section);
        }
        return expected;
    }

    private static string Root()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
            if (File.Exists(Path.Combine(folder.FullName, "Jackdaw.slnx")))
                return folder.FullName;
        throw new InvalidOperationException($"No Jackdaw.slnx above {AppContext.BaseDirectory}.");
    }

    [GeneratedRegex(@"`([A-Z]+ (?:\{db\})?/[^`]+)`")]
    private static partial Regex Route();
}
