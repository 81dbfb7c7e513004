using System.Text.RegularExpressions;

namespace Jackdaw.Server.Tests;

/// <summary>The folders of the server lie in layers.</summary>
public sealed partial class FolderTests
{
    [Fact]
    public void No_two_folders_of_the_server_use_each_other()
    {
        var source = Path.Combine(Root(), "src", "Server");
        var folders = Directory
            .GetDirectories(source)
            .Select(folder => Path.GetFileName(folder)!)
            .Where(name => name is not ("bin" or "obj"))
            .ToHashSet(StringComparer.Ordinal);
        var uses = folders
            .SelectMany(
                folder => Used(Path.Combine(source, folder)).Where(used => used != folder && folders.Contains(used)),
                (a, b) => (a, b)
            )
            .ToHashSet();

        Assert.Contains(("Endpoints", "Http"), uses);
        Assert.DoesNotContain(uses, use => uses.Contains((use.b, use.a)));
    }

    private static IEnumerable<string> Used(string folder) =>
        Directory
            .EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories)
            .SelectMany(file => UsedNamespace().Matches(File.ReadAllText(file)))
            .Select(match => match.Groups[1].Value);

    private static string Root()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
            if (File.Exists(Path.Combine(folder.FullName, "Jackdaw.slnx")))
                return folder.FullName;
        throw new InvalidOperationException($"No Jackdaw.slnx above {AppContext.BaseDirectory}.");
    }

    [GeneratedRegex(@"(?<!namespace )\bJackdaw\.Server\.(\w+)")]
    private static partial Regex UsedNamespace();
}
