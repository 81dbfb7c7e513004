using Jackdaw.Server.Endpoints;

namespace Jackdaw.Server.Tests.Endpoints;

public sealed class NotYetSupportedEndpointsTests
{
    private const string Section = "## What does not work yet";

    [Fact]
    public void The_README_lists_everything_that_is_refused_as_not_supported()
    {
        var readme = File.ReadAllText(Path.Combine(Root(), "README.md"));
        var from = readme.IndexOf(Section, StringComparison.Ordinal);
        Assert.True(from >= 0, $"README.md has no section '{Section}'.");
        var section = readme[from..readme.IndexOf("\n## ", from, StringComparison.Ordinal)];
        Assert.All(NotYetSupportedEndpoints.Features, feature => Assert.Contains(feature, section, StringComparison.OrdinalIgnoreCase));
    }

    private static string Root()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
            if (File.Exists(Path.Combine(folder.FullName, "Jackdaw.slnx")))
                return folder.FullName;
        throw new InvalidOperationException($"No Jackdaw.slnx above {AppContext.BaseDirectory}.");
    }
}
